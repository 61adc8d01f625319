import SyncModel

extension ManifestReader {
  private enum UnpackKey: String, CaseIterable {
    case entry, format, strip, exclude
    case mostEntries = "max_files"
    case include, modes, mtimes, prune

    /// Whether it only means something for an output that is a folder.
    var isOfFolders: Bool { [.include, .modes, .mtimes, .prune].contains(self) }
  }

  /// A name may be in as many folders.
  private static let mostStripped: Int64 = 64
  private static let mostEntries: Int64 = 1_000_000_000

  private static let unpackHint = "write unpack: {entry: PATTERN}, such as \"*/bin/tool\""

  /// Says that `unpack` without an entry makes no file.
  func reportUnpackAlone(at id: NodeID) {
    error(
      "\"unpack\" needs an \"entry\": the output is one file of the archive", at: id, hint: Self.unpackHint)
  }

  /// The options of `unpack`; `nil` after an error.
  func unpack(_ id: NodeID, _ scope: Scope) -> UnpackRules? {
    guard !document.isNull(id) else {
      reportUnpackAlone(at: id)
      return nil
    }
    guard let entries = entries(of: id, Want("unpack", "a mapping with \"entry\"")) else { return nil }
    let fields = fields(entries, UnpackKey.self, of: "\"unpack\"")
    var isValid = true
    for key in fields.order where key.isOfFolders {
      guard let entry = fields[key] else { continue }
      error(
        "\"\(key.rawValue)\" is for an output that is a folder, and this output is one file", at: entry.key,
        hint: "remove it; \"entry\" alone chooses the file")
      isValid = false
    }
    guard let entry = fields[.entry] else {
      if !fields.mayHide("entry") { reportUnpackAlone(at: id) }
      return nil
    }
    let pattern = entryPattern(entry.value, scope)
    guard let options = options(fields, scope), let pattern, isValid else { return nil }
    var rules = options
    rules.entry = pattern
    return rules
  }

  /// Everything but the entry.
  private func options(_ fields: Fields<UnpackKey>, _ scope: Scope) -> UnpackRules? {
    guard let any = try? PathPattern("*") else { return nil }
    var rules = UnpackRules(entry: any)
    var isValid = true
    if let format = fields[.format] {
      rules.format = word(format.value, "format", ArchiveFormat.self, scope)
      isValid = rules.format != nil
    }
    if let strip = fields[.strip] {
      if let read = self.strip(strip.value, scope) { rules.strip = read } else { isValid = false }
    }
    if let exclude = fields[.exclude] {
      if let read = excluded(exclude.value, scope) { rules.exclude = read } else { isValid = false }
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

  private func excluded(_ id: NodeID, _ scope: Scope) -> [PathPattern]? {
    let want = Want("exclude", "a list of patterns")
    guard let items = items(id, want) else { return nil }
    let patterns = items.compactMap { pattern($0, want, scope) }
    return patterns.count == items.count ? patterns : nil
  }

  private func pattern(_ id: NodeID, _ want: Want, _ scope: Scope) -> PathPattern? {
    guard let text = line(id, want, scope) else { return nil }
    do throws(PathPattern.Fault) { return try PathPattern(text) } catch {
      switch error {
      case .empty, .control: unwanted(text, at: id, want)
      case .openBracket:
        self.error(
          "the pattern \(quoted(text)) has a \"[\" without its \"]\"", at: id, hint: "write \\[ for a bracket"
        )
      case .openEscape:
        self.error(
          "the pattern \(quoted(text)) ends in a backslash", at: id, hint: "write \\\\ for a backslash")
      }
      return nil
    }
  }

  // MARK: The other steps

  /// Reports what cannot be before or beside `unpack`; `steps` are the steps at `places`.
  func checkUnpack(_ steps: [Step], at places: [NodeID]) -> Bool {
    guard let first = steps.firstIndex(where: \.isUnpack) else { return true }
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
    return isValid
  }
}

extension Step {
  /// Whether it takes a file out of an archive.
  var isUnpack: Bool { if case .unpack = self { true } else { false } }
}
