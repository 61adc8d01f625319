import SyncModel

extension ManifestReader {
  private static let stepWords = ["verify"] + Compression.allCases.map(\.stepName)

  private enum UnzstdKey: String, CaseIterable { case window }

  private enum VerifyKey: String, CaseIterable { case md5, sha1, sha256, sha512, size }

  private enum DigestSourceKey: String, CaseIterable { case url, target, entry }

  /// A list of steps; `references` gets the targets that they read from. `nil` after an error.
  func steps(_ id: NodeID, _ scope: Scope, references: inout [Reference]) -> [Step]? {
    guard let items = items(id, Want("steps", "a list of steps")) else { return nil }
    var steps: [Step] = []
    for item in items {
      if let step = step(item, scope, &references) { steps.append(step) }
    }
    return steps.count == items.count ? steps : nil
  }

  private func step(_ id: NodeID, _ scope: Scope, _ references: inout [Reference]) -> Step? {
    let want = Want("steps", "a list of steps: gunzip, unxz, unzstd, bunzip2, or verify: {…}")
    guard document[id].kind == .mapping else {
      guard let text = text(id, want, scope) else { return nil }
      if let format = Compression(stepName: text) { return .decompress(format) }
      if text == "verify" {
        error("\"verify\" needs something to verify", at: id, hint: verifyHint)
      } else {
        unknownStep(text, at: id)
      }
      return nil
    }
    guard let entries = entries(of: id, want) else { return nil }
    guard let entry = entries.first else {
      unwanted(id, want)
      return nil
    }
    guard entries.count == 1 else {
      error("one step for each item of the list", at: entries[1].key, hint: "begin a new item with \"-\"")
      return nil
    }
    let word = document.text(of: entry.key)
    if word == "verify" { return verify(entry.value, scope, &references) }
    switch Compression(stepName: word) {
    case .zstd: return unzstd(entry.value, scope)
    case let format?:
      error("\"\(format.stepName)\" takes nothing", at: entry.key, hint: "write \"- \(format.stepName)\"")
    case nil: unknownStep(word, at: entry.key)
    }
    return nil
  }

  /// `unzstd` with options.
  private func unzstd(_ id: NodeID, _ scope: Scope) -> Step? {
    let hint = "write \"- unzstd\", or unzstd: {window: 2GiB}"
    guard let entries = entries(of: id, Want("unzstd", "a mapping with a window")) else { return nil }
    let fields = fields(entries, UnzstdKey.self, of: "\"unzstd\"")
    guard let entry = fields[.window] else {
      if fields.misspelt.isEmpty { error("\"unzstd\" needs a window here", at: id, hint: hint) }
      return nil
    }
    return window(entry.value, scope).map { .decompress(.zstd, window: $0) }
  }

  private func window(_ id: NodeID, _ scope: Scope) -> Int64? {
    guard let size = size(id, Want("window", "a size such as 256MiB or 2GiB"), example: "MiB", scope) else {
      return nil
    }
    guard (1 << 10...Compression.largestWindow).contains(size) else {
      error(
        "a window of zstd has 1KiB to 2GiB", at: id,
        hint: "without \"window\", windows of up to 128MiB are allowed")
      return nil
    }
    return size
  }

  private var verifyHint: String { "write verify: {sha256: HEX}, {md5: {url: …}} or {size: BYTES}" }

  private func unknownStep(_ text: String, at id: NodeID) {
    let known = Self.stepWords
    error(
      "unknown step \(quoted(text))", at: id,
      hint: didYouMean(text, among: known) ?? "it knows \(Quoting.list(known, "and"))")
  }

  private func verify(_ id: NodeID, _ scope: Scope, _ references: inout [Reference]) -> Step? {
    let want = Want("verify", "a mapping with a digest or a size")
    guard let entries = entries(of: id, want) else { return nil }
    let fields = fields(entries, VerifyKey.self, of: "\"verify\"")
    if entries.isEmpty, fields.misspelt.isEmpty {
      error("\"verify\" needs something to verify", at: id, hint: verifyHint)
    }
    let keys = fields.order
    if keys.count > 1, let second = fields[keys[1]] {
      let both = "\(keys[0].rawValue) and \(keys[1].rawValue)"
      let isSize = keys[0] == .size || keys[1] == .size
      error(
        isSize ? "two checks in one step: \(both)" : "two digests in one rule: \(both)", at: second.key,
        hint: "write a verify step for each")
    }
    var first: Step?
    for (index, key) in keys.enumerated() {
      let step = fields[key].flatMap { check(key, $0.value, scope, &references) }
      if index == 0 { first = step }
    }
    return first
  }

  private func check(
    _ key: VerifyKey, _ value: NodeID, _ scope: Scope, _ references: inout [Reference]
  ) -> Step? {
    guard let algorithm = DigestAlgorithm(rawValue: key.rawValue) else {
      return integer(value, Want("size", "a number of bytes"), in: 0...Int64.max, scope).map(Step.verifySize)
    }
    return digest(value, algorithm, scope, references: &references).map { .verifyDigest(algorithm, $0) }
  }

  /// What section 4 of the contract calls S: hex, a sidecar, or a line of another target's output.
  func digest(
    _ id: NodeID, _ algorithm: DigestAlgorithm, _ scope: Scope, references: inout [Reference]
  ) -> DigestSource? {
    guard document[id].kind == .mapping else { return literalDigest(id, algorithm, scope) }
    guard let entries = entries(of: id, wanted(algorithm)) else { return nil }
    let fields = fields(entries, DigestSourceKey.self, of: "\"\(algorithm.rawValue)\"")
    if let entry = fields[.url] {
      if let other = fields[.target] ?? fields[.entry] {
        error("a digest comes from a URL or from a target, not from both", at: other.key)
      }
      return sourceURL(entry.value, "url", scope).map { .sidecar($0.url) }
    }
    guard let target = fields[.target], let line = fields[.entry] else {
      let missing = fields[.target] != nil ? "entry" : fields[.entry] != nil ? "target" : nil
      if let missing {
        requireKey(missing, in: fields, at: id, hint: "write {target: TARGET, entry: NAME}")
      } else if fields.misspelt.isEmpty {
        unwanted(id, wanted(algorithm))
      }
      return nil
    }
    let id = reference(target.value, "target", "the name of a target", scope)
    let name = self.line(line.value, Want("entry", "the name in the line"), scope)
    guard let id else { return nil }
    references.append(Reference(id: id, place: target.value))
    return name.map { .entry(id, name: Exact($0)) }
  }

  /// In words, which only a problem needs.
  private func wanted(_ algorithm: DigestAlgorithm) -> Want {
    Want(algorithm.rawValue, "\(algorithm.hexCount) hexadecimal digits, {url: …}, or {target: …, entry: …}")
  }

  private func literalDigest(
    _ id: NodeID, _ algorithm: DigestAlgorithm, _ scope: Scope
  ) -> DigestSource? {
    guard let text = text(id, wanted(algorithm), scope) else { return nil }
    if let digest = HexDigest(text, algorithm) { return .literal(digest) }
    let count = text.utf8.count
    let isHex = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0)
    }
    guard isHex, !text.isEmpty else {
      unwanted(text, at: id, wanted(algorithm))
      return nil
    }
    let other = DigestAlgorithm.allCases.first { $0.hexCount == count }
    error(
      "a digest of \(algorithm.rawValue) has \(algorithm.hexCount) digits, not \(count)", at: id,
      hint: other.map { "\(count) digits are a digest of \($0.rawValue)" })
    return nil
  }
}

extension Compression {
  /// The format that the step of this name unpacks.
  fileprivate init?(stepName: String) {
    guard let format = Compression.allCases.first(where: { $0.stepName == stepName }) else { return nil }
    self = format
  }
}
