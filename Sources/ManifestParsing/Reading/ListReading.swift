import SyncModel

extension ManifestReader {
  enum ListKey: String, CaseIterable {
    case url, format, repo, entries, fields, include, exclude, match, newest, order, prerelease, gone, tree

    func fits(_ kind: YAMLNode.Kind) -> Bool {
      switch self {
      case .include, .exclude: kind == .sequence
      case .fields: kind == .mapping
      default: false
      }
    }
  }

  private static let mostNewest: Int64 = 1_000_000

  /// The value of `list` in the target with that name; `nil` after an error.
  func listDeclaration(_ list: MappingEntry, name: NodeID) -> ListDeclaration? {
    guard let entries = entries(of: list.value, Want("list", "a mapping such as {url: …, format: atom}"))
    else { return nil }
    let fields = fields(entries, ListKey.self, of: "\"list\"", fits: { $0.fits($1) })
    let format = listFormat(fields, at: list.key)
    let url = listURL(fields, format, at: list.key)
    let rows = listFields(fields, format)
    let rules = listRules(fields)
    guard let format, let url, let rows, let rules else { return nil }
    return ListDeclaration(
      template: home.prefix + document.text(of: name), span: span(name), url: url, format: format,
      fields: rows,
      rules: rules)
  }

  private func listFormat(_ fields: Fields<ListKey>, at place: NodeID) -> ListFormat? {
    guard let entry = fields[.format] else {
      let formats = Quoting.list(ListFormat.allCases.map(\.rawValue))
      requireKey("format", in: fields, at: place, hint: "write {url: …, format: FORMAT}; one of \(formats)")
      return nil
    }
    return word(entry.value, "format", ListFormat.self, .none)
  }

  // MARK: The place

  private func listURL(_ fields: Fields<ListKey>, _ format: ListFormat?, at place: NodeID) -> SourceURL? {
    guard let repository = fields[.repo] else {
      if let url = fields[.url] { return sourceURL(url.value, "url", .none)?.url }
      if !fields.mayHide("repo") { requireListURL(fields, format, at: place) }
      return nil
    }
    let name = self.repository(repository.value)
    let api = fields[.url].map { sourceURL($0.value, "url", .none)?.url }
    if let format, format != .github {
      error(
        "\"repo\" is for the format github, and this list's format is \(format.rawValue)",
        at: repository.key, hint: "remove it, or write format: github")
      return nil
    }
    guard let name else { return nil }
    switch api {
    case nil: return .web(ListDeclaration.githubReleases(of: name))
    case .web(let url)??: return .web(ListDeclaration.githubReleases(of: name, api: url))
    case .file??:
      guard let entry = fields[.url] else { return nil }
      error(
        "\"url\" beside \"repo\" is that of GitHub's API, and \(quoted(document.text(of: entry.value))) is a file",
        at: entry.value, hint: "write https://HOST/api/v3, or remove it for github.com")
      return nil
    case .some(nil): return nil
    }
  }

  private func requireListURL(_ fields: Fields<ListKey>, _ format: ListFormat?, at place: NodeID) {
    guard format == .github else {
      return requireKey("url", in: fields, at: place, hint: "write {url: …, format: …}")
    }
    guard !fields.mayHide("url") else { return }
    error("\"list\" has neither \"repo\" nor \"url\"", at: place, hint: "write repo: OWNER/NAME")
  }

  /// `OWNER/NAME` on GitHub.
  private func repository(_ id: NodeID) -> String? {
    let want = Want(
      "repo", "OWNER/NAME, a repository on GitHub",
      hint: "write OWNER/NAME of its address https://github.com/OWNER/NAME")
    guard let text = text(id, want) else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let areNames = parts.allSatisfy { part in
      !part.isEmpty && !part.allSatisfy { $0 == UInt8(ascii: ".") }
        && part.allSatisfy { TargetName.isPart($0) && $0 != UInt8(ascii: "+") }
    }
    if parts.count == 2, areNames { return text }
    unwanted(text, at: id, want)
    return nil
  }

  // MARK: Rows

  private func listFields(_ fields: Fields<ListKey>, _ format: ListFormat?) -> ListFields? {
    var rows = ListFields()
    var isValid = true
    if let entry = fields[.entries] {
      isValid = isOf([.json], format, entry)
      rows.entries = pointer(entry.value, Want("entries", "a JSON pointer such as /files"))
      isValid = isValid && rows.entries != nil
    }
    if let entry = fields[.fields] {
      let isOfRows = isOf([.json, .csv], format, entry)
      if let columns = columns(entry.value, format) { rows.columns = columns } else { isValid = false }
      isValid = isValid && isOfRows
    }
    return isValid ? rows : nil
  }

  /// Whether the format is one that a key is for.
  private func isOf(_ formats: [ListFormat], _ format: ListFormat?, _ entry: MappingEntry) -> Bool {
    guard let format, !formats.contains(format) else { return true }
    let known = Quoting.list(formats.map(\.rawValue), "and")
    error(
      "\"\(document.text(of: entry.key))\" is for the format\(formats.count > 1 ? "s" : "") \(known), "
        + "and this list's format is \(format.rawValue)", at: entry.key, hint: "remove it")
    return false
  }

  private func columns(_ id: NodeID, _ format: ListFormat?) -> [(name: String, place: String)]? {
    guard let entries = entries(of: id, Want("fields", "a mapping such as {key: …, url: …}")) else {
      return nil
    }
    var columns: [(name: String, place: String)] = []
    for entry in entries {
      let name = document.text(of: entry.key)
      guard Template.isVariableName(EntryScope.prefix + name) else {
        error("\(quoted(name)) is not a field's name", at: entry.key, hint: "letters, digits, _, . and -")
        continue
      }
      let want = Want(
        "the field \(quoted(name))", format == .csv ? "a column's name" : "a JSON pointer such as /name")
      let place = format == .json ? pointer(entry.value, want)?.text : line(entry.value, want)
      if let place { columns.append((name, place)) }
    }
    return columns.count == entries.count && !entries.isIncomplete ? columns : nil
  }

  private func pointer(_ id: NodeID, _ want: Want) -> JSONPointer? {
    guard let text = text(id, want), hasNoControl(text, at: id, want) else { return nil }
    if let pointer = JSONPointer(text) { return pointer }
    unwanted(text, at: id, want, hint: JSONPointer("/" + text).map { "write \"\($0.text)\"" })
    return nil
  }

  // MARK: Rules

  private func listRules(_ fields: Fields<ListKey>) -> ListRules? {
    var rules = ListRules()
    var isValid = true
    /// Reads the value of `key`, if it is there.
    func read<Value>(_ key: ListKey, _ value: (NodeID) -> Value?) -> Value? {
      guard let entry = fields[key] else { return nil }
      let read = value(entry.value)
      if read == nil { isValid = false }
      return read
    }
    rules.include = read(.include) { inclusion($0, .none, all: "take every entry") } ?? []
    rules.exclude = read(.exclude) { patterns($0, "exclude", .none) } ?? []
    rules.match = read(.match) { versionPattern($0) }
    rules.newest = read(.newest) { id in
      integer(id, Want("newest", "a number of entries"), in: 1...Self.mostNewest, .none).map { Int($0) }
    }
    rules.order = read(.order) { word($0, "order", ListRules.Order.self, .none) }
    rules.prerelease = read(.prerelease) { boolean($0, Want("prerelease", "true or false"), .none) } ?? false
    rules.gone = read(.gone) { word($0, "gone", ListRules.Gone.self, .none) } ?? .keep
    rules.tree = read(.tree) { boolean($0, Want("tree", "true or false"), .none) } ?? false
    return isValid ? rules : nil
  }

  /// The text of a pattern with one `${v}`, which no variable replaces.
  private func versionPattern(_ id: NodeID) -> String? {
    let want = Want("match", "a pattern such as \"tool-${v}.tar.gz\"")
    let scope = Scope(names: ["v"], values: [ExpandedText(text: VersionPattern.mark)])
    variables.isInPattern = true
    defer { variables.isInPattern = false }
    guard let text = line(id, want, scope) else { return nil }
    do throws(VersionPattern.Fault) {
      return try VersionPattern(text).text.text
    } catch {
      switch error {
      case .noVersion:
        self.error(
          "\"match\" has no ${v}, which captures the version", at: id,
          hint: "write ${v} where the names have the version: \"tool-${v}.tar.gz\"")
      case .severalVersions:
        self.error("\"match\" has more than one ${v}", at: id, hint: "write \"*\" for the others")
      case .slash:
        self.error(
          "\"match\" is compared with names, which have no slash", at: id,
          hint: "choose folders by \"include\" and \"exclude\"")
      case .pattern(let fault): report(fault, text, at: id)
      }
      return nil
    }
  }
}
