import SyncModel

/// The field `lists` of several documents: the lists that the manifest reads (contract, section 11).
enum ListsJSON {
  /// Nothing for a manifest without `list`.
  static func write(_ json: inout JSONWriter, _ manifest: Manifest) {
    guard !manifest.templates.isEmpty else { return }
    let mask = manifest.secrets.mask
    json.objects("lists", manifest.templates) { json, template in
      json.field("name", mask(template.list.template))
      json.field("url", mask(template.list.url.shown))
      if case .expanded(_, let entries) = template.state { json.field("entries", entries.count) }
      if !template.unlocked.isEmpty { json.strings("unlocked", template.unlocked.map(mask)) }
    }
  }
}
