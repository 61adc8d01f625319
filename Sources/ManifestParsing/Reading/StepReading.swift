import SyncModel

extension ManifestReader {
  private static let stepWords = ["verify"] + Compression.allCases.map(\.stepName) + ["unpack"]

  /// What other programs call `unpack`.
  private static let unpackingWords: Set<String> = [
    "unzip", "untar", "extract", "unarchive", "tar", "zip", "7z", "un7z",
  ]

  /// What other programs call a step that decompresses, beside the formats' own names.
  private static let decompressingWords = [
    "gz": "gunzip", "unlzma": "unxz", "lzma": "unxz", "zst": "unzstd", "bz2": "bunzip2", "bunzip": "bunzip2",
  ]

  private enum UnzstdKey: String, CaseIterable { case window }

  enum VerifyKey: String, CaseIterable { case md5, sha1, sha256, sha512, size, minisign, tree }

  /// A list of steps; `notes` gets what the target must know about them. `nil` after an error.
  func steps(_ id: NodeID, _ scope: Scope, _ notes: inout StepNotes) -> [Step]? {
    let row = scope.row?.isAtRow == true ? scope.row : nil
    if row != nil, case let known?? = rowSteps[id] { return self.steps(known, scope) }
    guard
      let items = items(
        id, Want("steps", "a list of steps", hint: "write a list such as [gunzip, {verify: …}]"))
    else { return nil }
    var steps: [Step] = []
    for item in items {
      if let step = step(item, scope, &notes) { steps.append(step) }
    }
    guard steps.count == items.count, checkUnpack(steps, at: Array(items)) else { return nil }
    if let row, rowSteps[id] == nil {
      rowSteps[id] = .some(kept(steps, of: items, notes, row))
    }
    return steps
  }

  private func step(_ id: NodeID, _ scope: Scope, _ notes: inout StepNotes) -> Step? {
    let want = Want("steps", "a list of steps: gunzip, unxz, unzstd, bunzip2, unpack: {…}, or verify: {…}")
    guard document[id].kind == .mapping else {
      guard let text = text(id, want, scope) else { return nil }
      if let format = Compression(stepName: text) { return .decompress(format) }
      switch text {
      case "verify": error("\"verify\" has no check", at: id, hint: verifyHint)
      case "unpack": return .unpack(Self.plainUnpack)
      default: unknownStep(text, at: id)
      }
      return nil
    }
    guard let entries = entries(of: id, want) else { return nil }
    guard let entry = entries.first else {
      unwanted(id, want)
      return nil
    }
    guard entries.count == 1 else {
      let first = document.text(of: entry.key)
      // The keys of a step without any are in its own column.
      let isEmpty = document.isNull(entry.value) && ["unpack", "verify", "unzstd"].contains(first)
      error(
        "a list item must be one step", at: entries[1].key,
        hint: isEmpty
          ? "indent what belongs to \"\(first)\" further than that word" : "start a new item with \"-\"")
      return nil
    }
    let word = document.text(of: entry.key)
    if word == "verify" { return verify(entry.value, scope, &notes) }
    if word == "unpack" { return unpack(entry.value, scope).map { .unpack($0) } }
    switch Compression(stepName: word) {
    case .zstd: return unzstd(entry.value, scope)
    case let format?:
      error("\"\(format.stepName)\" takes no value", at: entry.key, hint: "write \"- \(format.stepName)\"")
    case nil: unknownStep(word, at: entry.key)
    }
    return nil
  }

  /// `unzstd` with options.
  private func unzstd(_ id: NodeID, _ scope: Scope) -> Step? {
    let hint = "write \"- unzstd\", or unzstd: {window: 2GiB}"
    guard let entries = entries(of: id, Want("unzstd", "a mapping with \"window\"")) else { return nil }
    let fields = fields(entries, UnzstdKey.self, of: "\"unzstd\"")
    guard let entry = fields[.window] else {
      if fields.misspelt.isEmpty { error("\"unzstd\" needs \"window\" here", at: id, hint: hint) }
      return nil
    }
    return window(entry.value, scope).map { .decompress(.zstd, window: $0) }
  }

  private func window(_ id: NodeID, _ scope: Scope) -> Int64? {
    let want = Want("window", "a size such as 256MiB or 2GiB", isPositive: true)
    guard let size = size(id, want, example: "MiB", scope) else { return nil }
    guard (1 << 10...Compression.largestWindow).contains(size) else {
      error(
        "\"window\" must be between 1KiB and 2GiB", at: id,
        hint: "omit it to allow 128MiB")
      return nil
    }
    return size
  }

  private var verifyHint: String {
    "write verify: {sha256: HEX}, {md5: {url: …}}, {size: BYTES}, {minisign: {key: …}} or {tree: HEX}"
  }

  private func unknownStep(_ text: String, at id: NodeID) {
    let known = Self.stepWords
    let meant = Compression(rawValue: text)?.stepName ?? Self.decompressingWords[text]
    error(
      "unknown step \(quoted(text))", at: id,
      hint: Self.unpackingWords.contains(text)
        ? "write \"unpack\", which reads archives"
        : meant.map { "did you mean \"\($0)\"?" } ?? didYouMean(text, among: known)
          ?? "known: \(Quoting.list(known, "and"))")
  }

  private func verify(_ id: NodeID, _ scope: Scope, _ notes: inout StepNotes) -> Step? {
    let want = Want("verify", "a mapping with a digest, a size or a signature")
    guard let entries = entries(of: id, want) else { return nil }
    let fields = fields(entries, VerifyKey.self, of: "\"verify\"")
    if entries.isEmpty, fields.misspelt.isEmpty {
      error("\"verify\" has no check", at: id, hint: verifyHint)
    }
    let keys = fields.order
    if keys.count > 1, let second = fields[keys[1]] {
      let both = "\(keys[0].rawValue) and \(keys[1].rawValue)"
      let areDigests = keys[..<2].allSatisfy { DigestAlgorithm(rawValue: $0.rawValue) != nil }
      error(
        !areDigests ? "two checks in one step: \(both)" : "two digests in one rule: \(both)", at: second.key,
        hint: "write a verify step for each")
    }
    var first: Step?
    for (index, key) in keys.enumerated() {
      let step = fields[key].flatMap { check(key, $0.value, scope, &notes) }
      if index == 0 { first = step }
    }
    return first
  }

  private func check(
    _ key: VerifyKey, _ value: NodeID, _ scope: Scope, _ notes: inout StepNotes
  ) -> Step? {
    if key == .minisign { return minisign(value, scope, &notes) }
    if key == .tree { return treeDigest(value, scope).map(Step.verifyTree) }
    guard let algorithm = DigestAlgorithm(rawValue: key.rawValue) else {
      return integer(value, Want("size", "a number of bytes"), in: 0...Int64.max, scope).map(Step.verifySize)
    }
    return digest(value, algorithm, scope, references: &notes.references).map { .verifyDigest(algorithm, $0) }
  }

  /// The signature may be beside the target's source, which is unknown here.
  private func minisign(_ id: NodeID, _ scope: Scope, _ notes: inout StepNotes) -> Step? {
    guard let (key, url) = minisignCheck(id, scope) else { return nil }
    if url == nil { notes.signaturesBesideSource.append(id) }
    return .verifyMinisign(MinisignCheck(key: key, urls: url.map { [$0] } ?? []))
  }
}

extension Compression {
  /// The format that the step of this name unpacks.
  fileprivate init?(stepName: String) {
    guard let format = Compression.allCases.first(where: { $0.stepName == stepName }) else { return nil }
    self = format
  }
}
