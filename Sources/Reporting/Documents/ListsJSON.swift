import SyncModel

/// The fields `lists` and `values` of several documents: the lists that the manifest reads, and the variables that take
/// their values from outputs (contract, section 11).
enum ListsJSON {
  /// Nothing for a manifest without `list` and without such a variable.
  static func write(_ json: inout JSONWriter, _ manifest: Manifest) {
    writeValues(&json, manifest)
    guard !manifest.templates.isEmpty else { return }
    let mask = manifest.secrets.mask
    json.objects("lists", manifest.templates) { json, template in
      json.field("name", mask(template.list.template))
      json.field("url", mask(template.list.url.shown))
      if case .expanded(_, let entries) = template.state { json.field("entries", entries.count) }
      if !template.unlocked.isEmpty { json.strings("unlocked", template.unlocked.map { mask($0.key.text) }) }
    }
  }

  /// The field `values` alone.
  static func writeValues(_ json: inout JSONWriter, _ manifest: Manifest) {
    guard !manifest.values.isEmpty else { return }
    let mask = manifest.secrets.mask
    json.objects("values", manifest.values) { json, value in
      json.field("name", value.name)
      json.field("target", mask(value.target.text))
      json.field("value", value.text.map(mask))
      json.field("moved_to", value.upstream.map(mask))
    }
  }
}
