package import SyncModel

/// The document that `list --json` prints: `syncmake.list/1`, `schema/list.schema.json`.
package enum ListJSON {
  /// Targets and groups in manifest order; ends in a line end.
  package static func render(_ manifest: Manifest) -> String {
    let mask = manifest.secrets.mask
    return JSONWriter.document { json in
      json.field("format", "syncmake.list/1")
      json.field("manifest", mask(manifest.fileName))
      json.strings("includes", manifest.included.map { mask($0.path.text) })
      json.objects("targets", manifest.present) { json, target in
        json.field("name", mask(target.name.text))
        json.field("output", target.output.shown.map(mask))
        json.field("description", target.summary.map(mask))
        if !target.tags.isEmpty { json.strings("tags", target.tags.map(mask)) }
      }
      json.objects("groups", manifest.groups) { json, group in
        json.field("name", mask(group.name.text))
        json.strings("targets", group.members.map { mask(manifest[$0].name.text) })
        if group.isTogether { json.field("together", true) }
      }
    }
  }
}
