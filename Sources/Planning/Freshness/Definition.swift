package import SyncModel

/// The part of a target's definition that determines its output's bytes: line 5 of the table in the contract,
/// section 3.
///
/// One walk makes the fields of a record; comparing two walks explains what changed, so that fingerprint and
/// explanation always agree.
package enum Definition {
  /// The fields of `target` in the order `url` or `from`, `output`, `steps`; secrets masked, without URL
  /// signatures.
  ///
  /// An empty field (`steps` without a step) is omitted. Several mirrors or steps are one per line, in the
  /// manifest's order.
  package static func fields(of target: Target, in manifest: Manifest) -> [DefinitionField] {
    var fields: [DefinitionField] = []
    fields.reserveCapacity(3)
    let mask = manifest.secrets
    func add(_ name: String, _ value: String) {
      fields.append(DefinitionField(name: name, value: mask.isEmpty ? value : mask.mask(value)))
    }
    switch target.source {
    case .urls(let urls): add("url", lines(urls, \.shown))
    // A new URL alone changes nothing (contract, section 11).
    case .entry(let entry): add("entry", entry.key)
    case .unlisted, .gone: break
    case .target(let id): add("from", manifest[id].name.text)
    }
    add("output", target.path.text)
    if !target.steps.isEmpty {
      add("steps", lines(target.steps) { spelling(of: $0, in: manifest) })
    }
    if case .entry(let entry) = target.source {
      add(DefinitionField.revision, entry.revision.text)
      add(DefinitionField.template, entry.template)
      add(DefinitionField.asked, lines(entry.urls, \.shown))
      if let name = manifest.unusualName { add(DefinitionField.manifest, name) }
    }
    return fields
  }

  /// The steps of `target` that transform its bytes, as a manifest would write them; secrets masked.
  ///
  /// Without what cannot change the digest of the output, such as `modes` of a folder.
  static func transformingSteps(of target: Target, in manifest: Manifest) -> [String] {
    target.steps.compactMap { step in
      switch step {
      case .decompress(let format, _): return format.stepName
      case .unpack(let rules):
        let text = spelling(of: rules, onlyBytes: true)
        return text == "{}" ? "unpack" : manifest.secrets.mask("unpack: " + text)
      case .verifyDigest, .verifySize, .verifyMinisign, .verifyTree: return nil
      }
    }
  }

  /// One line for each; of a single one, which most targets have, without a copy.
  private static func lines<Item>(
    _ items: some Collection<Item>, _ spell: (Item) -> String, between separator: String = "\n"
  ) -> String {
    items.count == 1 ? spell(items[items.startIndex]) : items.map(spell).joined(separator: separator)
  }

  /// What the list says, or said, of the entry; `nil` if `fields` are those of no list's target.
  package static func revision(in fields: [DefinitionField]) -> ListRevision? {
    fields.first { $0.name == DefinitionField.revision }.map { ListRevision(text: $0.value) }
  }

  /// The list's template and the key of the entry that the target was made from; `nil` if `fields` are those of no
  /// list's target.
  package static func entry(in fields: [DefinitionField]) -> (template: String, key: String)? {
    guard let template = fields.first(where: { $0.name == DefinitionField.template }),
      let key = fields.first(where: { $0.name == "entry" })
    else { return nil }
    return (template.value, key.value)
  }

  /// The name of the manifest's file by which the target was made; `nil` if that is a usual one, or not known.
  package static func manifestName(in fields: [DefinitionField]) -> String? {
    fields.first { $0.name == DefinitionField.manifest }?.value
  }

  /// Whether the output of the target that `fields` were made from is a folder.
  package static func isOfFolder(_ fields: [DefinitionField]) -> Bool {
    let steps = fields.first { $0.name == "steps" }?.value ?? ""
    return steps.utf8.split(separator: UInt8(ascii: "\n")).contains {
      $0.starts(with: "unpack: ".utf8) && !$0.starts(with: "unpack: {entry: ".utf8)
    }
  }

  /// Whether the target's list gives another URL now than that of which `recorded` is known.
  ///
  /// - ignoringQuery: many servers want a new ticket in the query each time.
  static func hasOtherURL(
    _ fields: [DefinitionField], than recorded: [DefinitionField], ignoringQuery: Bool
  ) -> Bool {
    func url(_ fields: [DefinitionField]) -> String? {
      fields.first { $0.name == DefinitionField.asked }?.value
    }
    guard let now = url(fields), let then = url(recorded) else { return false }
    guard ignoringQuery else { return !now.hasSameBytes(as: then) }
    func bare(_ urls: String) -> [Substring.UTF8View] {
      urls.utf8.split(separator: UInt8(ascii: "\n")).map { $0.prefix { $0 != UInt8(ascii: "?") } }
    }
    return !bare(now).elementsEqual(bare(then)) { $0.elementsEqual($1) }
  }

  /// Every field that differs: those of `current` in their order, then those that only `recorded` has.
  ///
  /// Without those that do not define the target.
  package static func changes(from recorded: [DefinitionField], to current: [DefinitionField])
    -> [FieldChange]
  {
    guard recorded != current else { return [] }
    func find(_ name: String, in fields: [DefinitionField]) -> DefinitionField? {
      fields.first { $0.name == name }
    }
    var changes: [FieldChange] = []
    for field in current where field.isDefining {
      let was = find(field.name, in: recorded)
      if was != field { changes.append(FieldChange(field: field.name, was: was?.value, now: field.value)) }
    }
    for field in recorded where field.isDefining && find(field.name, in: current) == nil {
      changes.append(FieldChange(field: field.name, was: field.value, now: nil))
    }
    return changes
  }

  /// A step on one line, as a manifest would write it.
  private static func spelling(of step: Step, in manifest: Manifest) -> String {
    switch step {
    // A larger window only allows what would fail without it: the bytes are the same.
    case .decompress(let format, _): format.stepName
    case .unpack(let rules): "unpack: " + spelling(of: rules)
    case .verifyTree(let digest): "verify: {tree: " + digest.text + "}"
    case .verifySize(let size): "verify: {size: \(size)}"
    case .verifyMinisign(let check): "verify: " + spelling(of: check)
    // Put together: to interpolate takes three times as long, and a run spells each target's.
    case .verifyDigest(let algorithm, let source):
      "verify: {" + algorithm.rawValue + ": " + spelling(of: source, in: manifest) + "}"
    }
  }

  /// Without `max_files`: a higher limit only allows what would fail without it.
  ///
  /// `onlyBytes`: also without what cannot change the names and bytes of the files.
  private static func spelling(of rules: UnpackRules, onlyBytes: Bool = false) -> String {
    var parts: [String] = []
    func add(_ key: String, _ patterns: [PathPattern]) {
      guard !patterns.isEmpty else { return }
      parts.append("\(key): [" + patterns.map { word($0.text.text) }.joined(separator: ", ") + "]")
    }
    if case .file(let pattern) = rules.product { parts.append("entry: " + word(pattern.text.text)) }
    if let format = rules.format, !onlyBytes { parts.append("format: " + format.rawValue) }
    switch rules.strip {
    case .count(0): break
    case .count(let count): parts.append("strip: \(count)")
    case .auto: parts.append("strip: auto")
    }
    add("exclude", rules.exclude)
    if case .folder(let tree) = rules.product {
      add("include", tree.include)
      if tree.keepsModes, !onlyBytes { parts.append("modes: archive") }
      if tree.keepsTimes, !onlyBytes { parts.append("mtimes: archive") }
      if tree.pruning != .recorded, !onlyBytes { parts.append("prune: " + tree.pruning.rawValue) }
    }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  static func spelling(of source: DigestSource, in manifest: Manifest) -> String {
    switch source {
    case .literal(let digest): digest.text
    case .sidecar(let sidecar): spelling(of: sidecar)
    case .entry(let id, let name): "{target: \(manifest[id].name), entry: \(word(name.text))}"
    }
  }

  private static func spelling(of sidecar: Sidecar) -> String {
    var text = "{url: " + sidecar.url.shown
    switch sidecar.choice {
    case .ownName: break
    case .entry(let pattern): text += ", entry: " + word(pattern.text.text)
    case .json(let pointer): text += ", json: " + word(pointer.text)
    }
    if let signature = sidecar.signature { text += ", signed: " + spelling(of: signature) }
    return text + "}"
  }

  private static func spelling(of check: MinisignCheck) -> String {
    "{minisign: {key: " + check.key.text + ", url: " + lines(check.urls, \.shown, between: ", ") + "}}"
  }

  /// A text of a list or a mapping: in quotes where it could pass for two, and bare otherwise, as records and locks have it.
  /// No name can pass for a second step.
  private static func word(_ text: String) -> String {
    text.contains(literal: ", ") ? YAMLText.quoted(text) : text.onOneLine
  }
}
