package import Planning
package import SyncModel

/// The document that `status --json` prints: `syncmake.status/1`, contract, section 7, `schema/status.schema.json`.
package enum StatusJSON {
  /// Targets in the given order, without fields that are unknown. Ends in a line end.
  package static func render(_ statuses: [TargetStatus], manifest: Manifest) -> String {
    JSONWriter.document { json in
      json.field("format", "syncmake.status/1")
      json.field("manifest", manifest.secrets.mask(manifest.fileName))
      json.objects("targets", statuses) { write(&$0, $1, manifest) }
    }
  }

  private static func write(_ json: inout JSONWriter, _ status: TargetStatus, _ manifest: Manifest) {
    let secrets = manifest.secrets
    json.field("name", secrets.mask(status.name.text))
    json.field("output", status.output.shown.map(secrets.mask))
    json.field("description", manifest[status.id].summary.map(secrets.mask))
    json.field("state", status.state.rawValue)
    json.field("lock", status.lock?.rawValue)
    json.field("files", status.files)
    if !status.edited.isEmpty {
      json.strings("edited", status.edited.map(secrets.mask))
      json.field("edited_count", Int64(status.editedCount))
    }
    guard let record = status.record else { return }
    json.field(status.output.isFolder ? "tree" : "sha256", record.content.sha256?.text)
    json.field("size", record.content.size)
    json.field("etag", record.validators?.etag.map { secrets.mask($0.text) })
    json.field("last_modified", record.validators?.lastModified.map(secrets.mask))
    if let checkedAt = record.checkedAt {
      json.field("checked_at", checkedAt.rfc3339)
    }
    json.field("updated_at", record.updatedAt.rfc3339)
  }
}
