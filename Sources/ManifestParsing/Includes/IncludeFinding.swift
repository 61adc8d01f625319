import SyncModel

/// How a manifest finds those that it includes (contract, section 11).
extension ManifestReader {
  private typealias Item = (reader: ManifestReader, node: NodeID)

  /// Reads the included manifests, each by `read` after those that it includes; this is the manifest itself.
  func readIncluded(
    _ fields: Fields<TopLevelKey>, _ read: (ManifestReader, Fields<TopLevelKey>) -> Void
  ) {
    let files = IncludedFiles(context.fileName)
    (self.files, ownedFiles, isAlone) = (files, files, false)
    find(from: fields, files)
    for file in files.files { reserved.add(file.path.text) }
    for pattern in files.patterns { reserved.add(pattern) }
    var last = self
    for number in order(files) where number > 0 {
      guard let reader = files.files[number - 1].reader, let fields = files.files[number - 1].fields else {
        continue
      }
      reader.goOn(after: last)
      files.begin(number, reader.first)
      read(reader, fields)
      last = reader
    }
    if last !== self { goOn(after: last) }
  }

  /// The files' numbers, each after those that it includes; a circle is an error.
  private func order(_ files: IncludedFiles) -> [Int] {
    var order: [Int] = []
    let finder = CycleFinder(count: files.mentions.count) { files.mentions[$0].map(\.number) }
    for cycle in finder.cycles(order: &order) {
      let names = (cycle + [cycle[0]]).map { files.fileName($0) }.joined(separator: " -> ")
      let next = cycle.count > 1 ? cycle[1] : cycle[0]
      let place = files.mentions[cycle[0]].first { $0.number == next }?.place
      log.error("manifests include one another in a circle: \(names)", at: place)
      // What a file in a circle names may be of one that is read later.
      lose(namesFrom: "")
    }
    return order
  }

  /// Takes over what all files have in common.
  private func goOn(after other: ManifestReader) {
    func move<Value>(_ path: ReferenceWritableKeyPath<ManifestReader, Value>, leaving empty: Value) {
      self[keyPath: path] = other[keyPath: path]
      other[keyPath: path] = empty
    }
    move(\.log, leaving: DiagnosticLog())
    move(\.drafts, leaving: [])
    move(\.names, leaving: TextIndex())
    move(\.earlier, leaving: [])
    move(\.groupNames, leaving: [])
    move(\.earlierGroups, leaving: [])
    move(\.lostNamePrefixes, leaving: [])
    move(\.lists, leaving: ListDrafts())
    move(\.values, leaving: [])
    move(\.tables, leaving: [])
    move(\.reserved, leaving: ReservedPaths([]))
    move(\.nearest, leaving: NearestNameFinder())
    variables.goOn(after: other.variables)
    first = (drafts.count, groupNames.count)
  }

  // MARK: Files

  /// Finds all files, those that an included manifest includes as well.
  private func find(from fields: Fields<TopLevelKey>, _ files: IncludedFiles) {
    var rest = items(of: fields)
    // In the order in which they are written, whatever they include.
    while !rest.isEmpty {
      let (reader, node) = rest.removeFirst()
      // One log, since a problem is reported once however many files lead to it.
      if reader !== self { swap(&reader.log, &log) }
      let found = reader.paths(node, files)
      if reader !== self { swap(&reader.log, &log) }
      guard let found else {
        lose(namesFrom: "")
        continue
      }
      var new: [Item] = []
      for path in found.paths {
        if let number = files.number(of: path) {
          // A pattern is for other files than that in which it is written.
          guard number != reader.home.number || !found.isPattern else { continue }
          files.note(.init(number: number, place: reader.span(node)), in: reader.home.number)
        } else if let fields = add(path, at: node, in: reader, files) {
          new += fields
        }
      }
      rest += new
    }
  }

  /// The entries of `include`.
  private func items(of fields: Fields<TopLevelKey>) -> [Item] {
    guard let include = fields[.include] else { return [] }
    return (items(include.value, Want("include", "a list of manifests")) ?? []).map { (self, $0) }
  }

  /// Adds a file that `reader` includes; the entries of its own `include`.
  private func add(
    _ path: RelativePath, at node: NodeID, in reader: ManifestReader, _ files: IncludedFiles
  ) -> [Item]? {
    let place = reader.span(node)
    let home = ManifestHome(path, number: 0)
    func refuse(_ message: String, hint: String? = nil) {
      log.error(message, at: place, hint: hint)
      lose(namesFrom: home.prefix)
    }
    guard home.isName else {
      refuse(
        "\(quoted(home.prefix)), with which the names in \(quoted(path.text)) would begin, cannot be part of a name",
        hint:
          "a name starts with an ASCII letter, a digit or _, and continues with ASCII letters, digits, _, ., +, / and -"
      )
      return nil
    }
    guard !files.isFull else {
      refuse("more than \(IncludedFiles.most) included manifests")
      return nil
    }
    guard let bytes = bytes(path, refuse) else { return nil }
    guard files.takesRoom(bytes.count) else {
      refuse("\(quoted(path.text)) is too large: all included manifests together have at most 64 MiB")
      return nil
    }
    let (number, new) = files.add(path, bytes, context, lists.excluded, &log)
    files.note(.init(number: number, place: place), in: reader.home.number)
    guard let new else {
      lose(namesFrom: home.prefix)
      return nil
    }
    (new.files, new.isAlone) = (files, false)
    guard let root = new.document.root, !new.document.isNull(root) else {
      refuse("\(quoted(path.text)) is empty", hint: "write \"version: 1\" and \"targets:\"")
      return nil
    }
    guard new.document[root].kind == .mapping else {
      refuse("\(quoted(path.text)) is not a manifest", hint: "a manifest has \"version\" and \"targets\"")
      return nil
    }
    swap(&new.log, &log)
    swap(&new.values, &values)
    defer {
      swap(&new.log, &log)
      swap(&new.values, &values)
    }
    new.variables.goOn(after: variables)
    guard let fields = new.begin(root) else { return nil }
    variables.goOn(after: new.variables)
    files.keep(fields, of: number)
    return new.items(of: fields)
  }

  private func bytes(_ path: RelativePath, _ refuse: (String, String?) -> Void) -> [UInt8]? {
    do throws(FailureCause) { return try context.included?.read(path) } catch {
      let (message, hint) = unreadable(path, error)
      refuse(message, hint)
      return nil
    }
  }

  // MARK: Entries

  /// The files that an entry names, and whether it is a pattern.
  private func paths(_ node: NodeID, _ files: IncludedFiles) -> (paths: [RelativePath], isPattern: Bool)? {
    guard context.included != nil else {
      error("\"include\" is not supported here", at: node)
      return nil
    }
    guard let path = includePath(node) else { return nil }
    guard FilePattern.isPattern(path.text) else { return ([path], false) }
    return matches(of: path, at: node, files).map { ($0, true) }
  }

  /// A path, perhaps with wildcards, from the root.
  private func includePath(_ node: NodeID) -> RelativePath? {
    let want = Want("include", "a manifest such as genes/syncmake.yaml")
    guard let text = withoutValues("\"include\"", { name(node, want) }) else { return nil }
    guard hasNoControl(text, at: node, want) else { return nil }
    func refuse() {
      error(
        "\(quoted(text)) is outside the folder of this manifest", at: node,
        hint: "an included manifest is in the same folder or below it")
    }
    let leadUp = text.utf8.split(separator: UInt8(ascii: "/")).map { $0.elementsEqual("..".utf8) }
    guard !leadUp.contains(true) else {
      if leadUp[0] {
        refuse()
      } else {
        // Perhaps it comes back into the folder.
        error(
          "\(quoted(text)) has a part \"..\"", at: node,
          hint: "write the path from the folder of this manifest without \"..\"")
      }
      return nil
    }
    do throws(RelativePath.Fault) { return try home.rooted(text) } catch {
      switch error {
      case .empty, .hasNUL: unwanted(text, at: node, want)
      case .endsInSlash:
        self.error(
          "\(quoted(text)) is a folder's name", at: node,
          hint: "name the manifest in it: \(text)syncmake.yaml")
      case .absolute, .leavesRoot: refuse()
      }
      return nil
    }
  }

  private func matches(
    of path: RelativePath, at node: NodeID, _ files: IncludedFiles
  ) -> [RelativePath]? {
    let pattern: FilePattern
    do throws(PathPattern.Fault) { pattern = try FilePattern(path) } catch {
      let what =
        switch error {
        case .openBracket: "\"[\" is not closed"
        default: "\"\\\" at its end takes no character"
        }
      self.error("\(quoted(path.text)) is not a pattern: \(what)", at: node)
      return nil
    }
    do throws(FailureCause) {
      let found = try context.included?.find(pattern) ?? []
      files.note(IncludePattern(path.text, matching: found, context.sumKey))
      return found
    } catch {
      let (message, hint) = unreadable(path, error)
      self.error(message, at: node, hint: hint)
      return nil
    }
  }

  // MARK: Problems

  /// In words: why a file of the manifest could not be read.
  func unreadable(_ path: RelativePath, _ cause: FailureCause) -> (message: String, hint: String?) {
    let (text, hint): (String, String?) =
      switch cause {
      case .sourceUnreadable(_, .changedMeanwhile):
        (SourceFault.changedMeanwhile.text, "run again when no program writes to it")
      case .sourceUnreadable(_, let fault): (fault.text, nil)
      case .outputUnwritable(_, .isFolder): ("it is a folder", nil)
      case .outputUnwritable(_, .isLink), .outputUnwritable(_, .parentIsLink): ("links are not followed", nil)
      default: ("it is not a regular file", nil)
      }
    return ("cannot read \(quoted(path.text)): \(text)", hint)
  }

  func refuseHosts(_ entry: MappingEntry) {
    error(
      "\"hosts\" is not allowed in an included manifest", at: entry.key,
      hint: "the limits are those of a whole run: move them to \(files?.fileName(0) ?? context.fileName)")
  }
}
