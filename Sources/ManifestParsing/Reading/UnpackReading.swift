import SyncModel

extension ManifestReader {
  enum UnpackKey: String, CaseIterable {
    case entry, format, strip, exclude
    case mostEntries = "max_files"
    case include, modes, mtimes, prune

    /// Whether it only means something for an output that is a folder.
    var isOfFolders: Bool { [.include, .modes, .mtimes, .prune].contains(self) }
  }

  /// The values of `modes`.
  private enum Modes: String, CaseIterable { case plain, archive }

  /// The values of `mtimes`.
  private enum Times: String, CaseIterable { case now, archive }

  /// A name may be in as many folders.
  private static let mostStripped: Int64 = 64
  private static let mostEntries: Int64 = 1_000_000_000

  /// `unpack` without options: the whole archive into a folder.
  static let plainUnpack = UnpackRules(.folder(TreeRules()))

  /// The options of `unpack`; `nil` after an error.
  func unpack(_ id: NodeID, _ scope: Scope) -> UnpackRules? {
    guard !document.isNull(id) else { return Self.plainUnpack }
    guard let entries = entries(of: id, Want("unpack", "a mapping such as {entry: PATTERN} or {strip: 1}"))
    else { return nil }
    let fields = fields(entries, UnpackKey.self, of: "\"unpack\"")
    // A misspelt key may be the one that chooses the file.
    guard !fields.mayHide("entry") else { return nil }
    return fields[.entry].map { oneFile($0, fields, scope) } ?? folder(fields, scope)
  }

  private func oneFile(_ entry: MappingEntry, _ fields: Fields<UnpackKey>, _ scope: Scope) -> UnpackRules? {
    var isValid = true
    for key in fields.order where key.isOfFolders {
      guard let entry = fields[key] else { continue }
      error(
        "\"\(key.rawValue)\" is for an output that is a folder, and this output is one file", at: entry.key,
        hint: "remove it; \"entry\" alone chooses the file")
      isValid = false
    }
    let pattern = entryPattern(entry.value, scope)
    guard let options = options(fields, scope), let pattern, isValid else { return nil }
    var rules = options
    rules.product = .file(pattern)
    return rules
  }

  private func folder(_ fields: Fields<UnpackKey>, _ scope: Scope) -> UnpackRules? {
    var tree = TreeRules()
    var isValid = true
    if let include = fields[.include] {
      let read = inclusion(include.value, scope, all: "unpack everything")
      if let read { tree.include = read } else { isValid = false }
    }
    func value<Word: RawRepresentable & CaseIterable>(_ key: UnpackKey, _: Word.Type) -> Word?
    where Word.RawValue == String {
      guard let entry = fields[key] else { return nil }
      let read = word(entry.value, key.rawValue, Word.self, scope)
      if read == nil { isValid = false }
      return read
    }
    tree.keepsModes = value(.modes, Modes.self) == .archive
    tree.keepsTimes = value(.mtimes, Times.self) == .archive
    tree.pruning = value(.prune, TreePruning.self) ?? .recorded
    guard let options = options(fields, scope), isValid else { return nil }
    var rules = options
    rules.product = .folder(tree)
    return rules
  }

  /// What both kinds of outputs have.
  private func options(_ fields: Fields<UnpackKey>, _ scope: Scope) -> UnpackRules? {
    var rules = Self.plainUnpack
    var isValid = true
    if let format = fields[.format] {
      rules.format = word(format.value, "format", ArchiveFormat.self, scope)
      isValid = rules.format != nil
    }
    if let strip = fields[.strip] {
      if let read = self.strip(strip.value, scope) { rules.strip = read } else { isValid = false }
    }
    if let exclude = fields[.exclude] {
      if let read = patterns(exclude.value, "exclude", scope) {
        rules.exclude = read
      } else {
        isValid = false
      }
    }
    if let most = fields[.mostEntries] {
      let want = Want("max_files", "a number of files")
      let number = integer(most.value, want, in: 1...Self.mostEntries, scope)
      if let number { rules.mostEntries = Int(number) } else { isValid = false }
    }
    return isValid ? rules : nil
  }

  private func strip(_ id: NodeID, _ scope: Scope) -> UnpackRules.Strip? {
    let want = Want("strip", "a number of folders, or auto")
    guard let text = text(id, want, scope) else { return nil }
    if text == "auto" { return .auto }
    return integer(id, want, in: 0...Self.mostStripped, scope).map { .count(Int($0)) }
  }

  // MARK: Patterns

  private func entryPattern(_ id: NodeID, _ scope: Scope) -> PathPattern? {
    guard let pattern = pattern(id, Want("entry", "a pattern such as \"*/bin/tool\""), scope) else {
      return nil
    }
    if pattern.isNegated {
      error("\"entry\" must not begin with \"!\"", at: id, hint: "write \\! for a name that begins with it")
      return nil
    }
    if pattern.isOfFolders {
      error(
        "\"entry\" ends in a slash, but only a file can be the output", at: id, hint: "add the file's name")
      return nil
    }
    return pattern
  }

  /// The patterns of `include`; `all` is what a target without it does.
  func inclusion(_ id: NodeID, _ scope: Scope, all: String) -> [PathPattern]? {
    guard let patterns = patterns(id, "include", scope) else { return nil }
    guard patterns.allSatisfy(\.isNegated) else { return patterns }
    error("\"include\" has no pattern that includes anything", at: id, hint: "omit it to \(all)")
    return nil
  }

  func patterns(_ id: NodeID, _ key: String, _ scope: Scope) -> [PathPattern]? {
    let want = Want(key, "a list of patterns")
    guard let items = items(id, want) else { return nil }
    let patterns = items.compactMap { pattern($0, want, scope) }
    return patterns.count == items.count ? patterns : nil
  }

  private func pattern(_ id: NodeID, _ want: Want, _ scope: Scope) -> PathPattern? {
    variables.isInPattern = true
    defer { variables.isInPattern = false }
    guard let text = line(id, want, scope) else { return nil }
    do throws(PathPattern.Fault) { return try PathPattern(text) } catch {
      report(error, text, at: id)
      return nil
    }
  }

  /// Says why a text is not a pattern.
  func report(_ fault: PathPattern.Fault, _ text: String, at id: NodeID) {
    let (why, hint): (String, String?) =
      switch fault {
      case .empty: ("it matches nothing", nil)
      case .control: ("it has a control character", nil)
      case .openBracket: ("a \"[\" lacks its \"]\"", "write \\[ for a bracket")
      case .openEscape: ("a backslash escapes nothing", "write \\\\ for a backslash")
      }
    error("\(quoted(text)) is not a pattern: \(why)", at: id, hint: hint)
  }

  // MARK: The other steps

  /// Reports what cannot be before or beside `unpack`; `steps` are the steps at `places`.
  func checkUnpack(_ steps: [Step], at places: [NodeID]) -> Bool {
    guard let first = steps.firstIndex(where: \.isUnpack) else {
      guard let tree = steps.firstIndex(where: { if case .verifyTree = $0 { true } else { false } }) else {
        return true
      }
      error(
        "\"tree\" is the digest of an unpacked folder, and there is none here", at: places[tree],
        hint: "put it after an \"unpack\" without \"entry\"")
      return false
    }
    var isValid = true
    for (step, place) in zip(steps[..<first], places) {
      guard case .decompress(let format, _) = step else { continue }
      error(
        "\"\(format.stepName)\" before \"unpack\", which also decompresses", at: place,
        hint: "remove \"\(format.stepName)\"")
      isValid = false
    }
    if let second = steps[(first + 1)...].firstIndex(where: \.isUnpack) {
      error(
        "a second \"unpack\" in one target", at: places[second],
        hint: "unpack the inner archive by another target, with \"from\"")
      isValid = false
    }
    return checkAround(first, steps, at: places) && isValid
  }

  /// Reports steps that the output of the `unpack` at `first` does not allow.
  private func checkAround(_ first: Int, _ steps: [Step], at places: [NodeID]) -> Bool {
    var isValid = true
    let makesFolder = if case .unpack(let rules) = steps[first] { rules.tree != nil } else { false }
    for (index, step) in steps.enumerated() where !step.isUnpack {
      if case .verifyTree = step {
        guard index < first || !makesFolder else { continue }
        error(
          "\"tree\" is the digest of an unpacked folder, and there is none here", at: places[index],
          hint: "put it after an \"unpack\" without \"entry\"")
        isValid = false
      } else if index > first, makesFolder {
        error(
          "after \"unpack\" into a folder there are no bytes for this step", at: places[index],
          hint: "put it before \"unpack\", or verify the folder: verify: {tree: HEX}")
        isValid = false
      }
    }
    return isValid
  }
}

extension Step {
  /// Whether it reads an archive.
  var isUnpack: Bool { if case .unpack = self { true } else { false } }
}
