package import Planning
package import SyncModel

/// The document that `lock --json` and `update --json` print: `syncmake.update/1`, `schema/update.schema.json`.
package enum UpdateJSON {
  /// The changes by name, then every target in manifest order; ends in a line end.
  ///
  /// `isForecast`: for `update -n`, which knows no new digests.
  package static func render(
    _ changes: [PinChange], _ values: [ValueChange] = [], results: [TargetResult], status: RunStatus,
    failure: FailureCause? = nil,
    isForecast: Bool = false, manifest: Manifest
  ) -> String {
    JSONWriter.document { json in
      json.field("format", "syncmake.update/1")
      json.field("manifest", manifest.secrets.mask(manifest.fileName))
      json.field("lock", LockFile.fileName)
      json.field("status", status.rawValue)
      json.object("summary") { summary in
        for kind in PinChange.Kind.allCases {
          summary.field(kind.rawValue, kind.count(in: changes, values))
        }
      }
      if isForecast { json.field("dry_run", true) }
      let mask = manifest.secrets.mask
      let moved = changes.filter { $0.kind == .moved }.map { change in
        let (from, to) = digests(change)
        return Moved(name: mask(change.name.text), from: from?.text, to: to?.text)
      }
      let movedValues = values.map {
        Moved(name: $0.name, isVariable: true, from: mask($0.was), to: $0.now.map(mask))
      }
      json.objects("moved", movedValues + moved) { json, moved in
        json.field("name", moved.name)
        if moved.isVariable { json.field("variable", true) }
        json.field("from", moved.from)
        if let to = moved.to { json.field("to", to) } else { json.null("to") }
      }
      json.objects("changes", changes) { write(&$0, $1, mask) }
      json.objects("targets", results.sorted { $0.id < $1.id }) { RunJSON.write(&$0, $1, manifest.secrets) }
      if let failure {
        FailureJSON.write(&json, failure.code, FailureText.wording(failure, secrets: manifest.secrets))
      }
    }
  }

  /// A target with the old and the new digest, or a variable with its values.
  private struct Moved {
    var name: String
    var isVariable = false
    var from: String?
    var to: String?
  }

  /// The sha256 of the outputs, or of the downloads if only those differ.
  private static func digests(_ change: PinChange) -> (from: HexDigest?, to: HexDigest?) {
    guard let was = change.was, let now = change.now, was.output == now.output else {
      return (change.was?.output.sha256, change.now?.output.sha256)
    }
    return (was.download?.sha256, now.download?.sha256)
  }

  private static func write(_ json: inout JSONWriter, _ change: PinChange, _ mask: (String) -> String) {
    json.field("name", mask(change.name.text))
    json.field("kind", change.kind.rawValue)
    if let was = change.was { json.object("from") { write(&$0, was, mask) } }
    if let now = change.now { json.object("to") { write(&$0, now, mask) } }
  }

  private static func write(_ json: inout JSONWriter, _ pin: Pin, _ mask: (String) -> String) {
    switch pin.source {
    case .urls(let urls): json.strings("url", urls.map { mask($0.text) })
    case .target(let name): json.field("target", mask(name.text))
    }
    if let download = pin.download { json.object("download") { write(&$0, download) } }
    json.object("output") { write(&$0, pin.output) }
    json.field("etag", (pin.etag?.text).map(mask))
    json.field("last_modified", pin.lastModified.map(mask))
  }

  private static func write(_ json: inout JSONWriter, _ content: Pin.Content) {
    json.field("size", content.size)
    json.field(content.isTree ? "tree" : "sha256", content.sha256.text)
  }
}
