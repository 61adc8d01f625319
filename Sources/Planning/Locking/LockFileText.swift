package import SyncModel

/// Writes `syncmake.lock`: the same bytes for the same pins.
///
/// ManifestParsing reads it. Every text is in double quotes, so that no value is misread, and a merge sees one
/// value per line.
package enum LockFileText {
  /// The names sorted, the keys in a fixed order; ends in a line end.
  package static func render(_ lock: LockFile) -> String {
    var text = """
      # Written by `syncmake lock` and `syncmake update`; commit it, do not edit it.
      version: 1
      targets:

      """
    if !lock.emptyLists.isEmpty {
      let names = lock.emptyLists.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      text.replaceLast(
        "targets:\n", by: "empty_lists:\n" + names.map { "  - \(quoted($0))\n" }.joined() + "targets:\n")
    }
    if lock.pins.isEmpty { text.replaceLast("targets:\n", by: "targets: {}\n") }
    for (name, pin) in lock.pins.sorted(by: { $0.key < $1.key }) {
      write(name, pin, &text)
      guard let values = lock.values[name], !values.isEmpty else { continue }
      text += "    values:\n"
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        text += key(name, "      ") + "\n" + key(value.part, "        ") + " \(quoted(value.text))\n"
      }
    }
    return text
  }

  private static func write(_ name: TargetName, _ pin: Pin, _ text: inout String) {
    text += key(name.text, "  ") + "\n"
    switch pin.source {
    case .urls(let urls) where urls.count == 1: text += "    url: \(quoted(urls[0].text))\n"
    case .urls(let urls): text += "    url:\n" + urls.map { "      - \(quoted($0.text))\n" }.joined()
    case .target(let name): text += "    from: \(quoted(name.text))\n"
    }
    if let pinned = pin.entry { write(pinned, &text) }
    switch pin.steps.count {
    case 0: break
    case 1: text += "    steps: \(quoted(pin.steps[0]))\n"
    default: text += "    steps:\n" + pin.steps.map { "      - \(quoted($0))\n" }.joined()
    }
    if let download = pin.download { write("download", download, &text) }
    write("output", pin.output, &text)
    if let etag = pin.etag { text += "    etag: \(quoted(etag.text))\n" }
    if let date = pin.lastModified { text += "    last_modified: \(quoted(date))\n" }
  }

  private static func write(_ pinned: PinnedEntry, _ text: inout String) {
    let entry = pinned.entry
    text += "    list: \(quoted(pinned.template))\n    entry:\n"
    func add(_ key: String, _ value: String?) {
      if let value { text += "      \(key): \(quoted(value))\n" }
    }
    add("key", entry.key)
    add("name", entry.name)
    add("version", entry.version)
    add("version_by", entry.lockedOrigin)
    add("updated", entry.updated.map(\.exactRFC3339))
    add("size", entry.size.map { "\($0)" })
    for digest in entry.digests { add(digest.algorithm.rawValue, digest.value.text) }
    add("etag", entry.entityTag)
    add("title", entry.title)
    guard !entry.others.isEmpty else { return }
    text += "      fields:\n"
    for field in entry.others.sorted(by: { $0.name < $1.name }) {
      text += key(field.name, "        ") + " \(quoted(field.value))\n"
    }
  }

  private static func write(_ key: String, _ content: Pin.Content, _ text: inout String) {
    text +=
      "    \(key):\n      size: \(content.size)\n      \(content.isTree ? "tree" : "sha256"): \"\(content.sha256)\"\n"
  }

  /// A key with its colon. YAML reads one without a question mark only up to 1024 characters.
  private static func key(_ text: String, _ indent: String) -> String {
    let written = quoted(text)
    return written.utf8.count < 1000 ? "\(indent)\(written):" : "\(indent)? \(written)\n\(indent):"
  }

  private static func quoted(_ text: String) -> String { YAMLText.quoted(text, isASCII: true) }
}

extension String {
  fileprivate mutating func replaceLast(_ ending: String, by other: String) {
    guard hasSuffix(ending) else { return }
    removeLast(ending.count)
    self += other
  }
}
