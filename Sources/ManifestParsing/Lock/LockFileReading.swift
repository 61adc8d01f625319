import SyncModel

extension ManifestReader {
  private enum LockKey: String, CaseIterable {
    case version, targets
    case emptyLists = "empty_lists"
  }

  private enum PinKey: String, CaseIterable {
    case url, from, list, entry, steps, download, output, etag, values
    case lastModified = "last_modified"
  }

  private enum ContentKey: String, CaseIterable {
    case size, sha256, tree
  }

  /// The lock file, and the position of each target's name; useless if the log has an error.
  func readLock() -> (LockFile?, [TargetName: SourceSpan]) {
    guard let root = document.root, !document.isNull(root) else {
      log.error(
        "the lock file is empty", at: SourceSpan(line: 1, column: 1, endColumn: 2),
        hint: "remove it, then \(context.place.command("lock")) writes a new one")
      return (nil, [:])
    }
    guard let entries = entries(of: root, Want("the lock file", "a mapping with \"version\" and \"targets\""))
    else { return (nil, [:]) }
    let fields = fields(entries, LockKey.self, of: "the lock file")
    readLockVersion(fields, root)
    guard let targets = fields[.targets] else {
      requireKey("targets", in: fields, at: root)
      return (nil, [:])
    }
    var (lock, places) = readPins(targets.value)
    if let lists = fields[.emptyLists] {
      let want = Want("empty_lists", "a list of targets with \"list\"")
      for item in items(lists.value, want) ?? [] {
        if let name = lockedLine(item, want) { lock?.emptyLists.insert(name) }
      }
    }
    return (lock, places)
  }

  private func readLockVersion(_ fields: Fields<LockKey>, _ root: NodeID) {
    guard let entry = fields[.version] else { return requireKey("version", in: fields, at: root) }
    let node = document[entry.value]
    guard node.kind == .scalar, document.text(of: entry.value) == "1" else {
      let hint = "this syncmake reads version 1; a later version wrote this file, or it was edited by hand"
      return unwanted(entry.value, Want("version", "the number 1"), hint: hint)
    }
  }

  private func readPins(_ id: NodeID) -> (LockFile?, [TargetName: SourceSpan]) {
    guard let targets = entries(of: id, Want("targets", "a mapping from names to locked versions")) else {
      return (nil, [:])
    }
    var lock = LockFile()
    var places: [TargetName: SourceSpan] = [:]
    lock.pins.reserveCapacity(targets.count)
    places.reserveCapacity(targets.count)
    for entry in targets {
      let text = document.text(of: entry.key)
      guard TargetName.isValid(text) else {
        error("\(quoted(text)) is not a target's name", at: entry.key)
        continue
      }
      var values: [String: LockedValue]?
      guard let pin = readPin(entry.value, of: text, at: entry.key, &values) else { continue }
      lock.pins[TargetName(text)] = pin
      if let values { lock.values[TargetName(text)] = values }
      places[TargetName(text)] = span(entry.key)
    }
    return (lock, places)
  }

  private func readPin(
    _ id: NodeID, of name: String, at key: NodeID, _ values: inout [String: LockedValue]?
  ) -> Pin? {
    guard let entries = entries(of: id, Want(name, "a mapping with \"url\", \"download\" and \"output\""))
    else {
      return nil
    }
    let fields = fields(entries, PinKey.self, of: "a locked target")
    let source = readPinSource(fields, at: key)
    let download = fields[.download].flatMap { readContent($0.value, "download") }
    let output = fields[.output].flatMap { readContent($0.value, "output") }
    if fields[.output] == nil { requireKey("output", in: fields, at: key) }
    let etag = fields[.etag].flatMap { lockedLine($0.value, Want("etag", "an ETag with its quotes")) }
    let date = fields[.lastModified].flatMap { lockedLine($0.value, Want("last_modified", "an HTTP date")) }
    let entry = readPinnedEntry(fields[.list], fields[.entry])
    values = fields[.values].map { readLockedValues($0.value) }
    guard let source, let output else { return nil }
    guard isSound(source, fields, at: key) else { return nil }
    var pin = Pin(
      source: source, download: download, output: output, etag: etag.map { EntityTag($0) }, lastModified: date
    )
    pin.entry = entry
    pin.steps =
      fields[.steps].flatMap { lockedLines($0.value, Want("steps", "a step or a list of them")) } ?? []
    return pin
  }

  /// The values that variables have of the target's output.
  private func readLockedValues(_ id: NodeID) -> [String: LockedValue] {
    let want = Want("values", "a mapping from variables to their values")
    var values: [String: LockedValue] = [:]
    for variable in entries(of: id, want) ?? Mapping() {
      let want = Want("a value", "the value, by the part of the output that it is")
      guard let parts = entries(of: variable.value, want) else { continue }
      guard let part = parts.first, parts.count == 1 else {
        unwanted(variable.value, want)
        continue
      }
      let text = lockedLine(part.value, Want("a value", "text"))
      values[document.text(of: variable.key)] = text.map {
        LockedValue(part: document.text(of: part.key), text: $0)
      }
    }
    return values
  }

  /// Whether a fetched target has a download, and a target made from another has none.
  private func isSound(_ source: Pin.Source, _ fields: Fields<PinKey>, at key: NodeID) -> Bool {
    switch (source, fields[.download]) {
    case (.urls, nil):
      requireKey("download", in: fields, at: key)
      return false
    case (.target, let entry?):
      error(
        "\"download\" and \"from\" exclude each other", at: entry.key,
        hint: "only a target with a URL has a download")
      return false
    default: return true
    }
  }

  private func readPinSource(_ fields: Fields<PinKey>, at key: NodeID) -> Pin.Source? {
    switch (fields[.url], fields[.from]) {
    case (let entry?, nil): return readPinURLs(entry.value)
    case (nil, let entry?):
      guard let name = lockedLine(entry.value, Want("from", "a target's name")) else { return nil }
      return .target(TargetName(name))
    case (nil, nil): requireKey("url", in: fields, at: key)
    case (_, let entry?): error("\"from\" beside \"url\"", at: entry.key)
    }
    return nil
  }

  private func readPinURLs(_ id: NodeID) -> Pin.Source? {
    lockedLines(id, Want("url", "a URL or a list of them")).map(Self.source)
  }

  /// One text or a list of one or more.
  private func lockedLines(_ id: NodeID, _ want: Want) -> [String]? {
    guard document[id].kind == .sequence else { return lockedLine(id, want).map { [$0] } }
    let children = document.children(of: id)
    if children.isEmpty {
      error("\"\(want.key)\" is an empty list, expected \(want.form)", at: id)
      return nil
    }
    let texts = children.compactMap { lockedLine($0, want) }
    return texts.count == children.count ? texts : nil
  }

  /// An earlier version wrote what signs a URL, too.
  private static func source(_ urls: [String]) -> Pin.Source {
    .urls(urls.map { ByteString(ResourceURL.text(of: $0)) })
  }

  private func readContent(_ id: NodeID, _ key: String) -> Pin.Content? {
    guard let entries = entries(of: id, Want(key, "a mapping with \"size\" and \"sha256\"")) else {
      return nil
    }
    let fields = fields(entries, ContentKey.self, of: key)
    // Only an output can be a folder.
    let tree = key == "output" && fields[.sha256] == nil ? fields[.tree] : nil
    if tree == nil, let stray = fields[.tree] {
      error("\"tree\" is the digest of an output that is a folder, beside no \"sha256\"", at: stray.key)
      return nil
    }
    for name in [ContentKey.size, .sha256] where fields[name] == nil && !(name == .sha256 && tree != nil) {
      requireKey(name.rawValue, in: fields, at: id)
    }
    let size = fields[.size].flatMap { lockedSize($0.value) }
    let digest = (tree ?? fields[.sha256]).flatMap { lockedDigest($0.value) }
    guard let size, let digest else { return nil }
    return Pin.Content(size: size, sha256: digest, isTree: tree != nil)
  }

  func lockedSize(_ id: NodeID) -> Int64? {
    let want = Want("size", "a number of bytes")
    guard let text = lockedLine(id, want) else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let size = Int64(text) else {
      unwanted(text, at: id, want)
      return nil
    }
    return size
  }

  func lockedDigest(_ id: NodeID, _ algorithm: DigestAlgorithm = .sha256) -> HexDigest? {
    let want = Want(algorithm.rawValue, "\(2 * algorithm.byteCount) hexadecimal digits")
    guard let text = lockedLine(id, want) else { return nil }
    if let digest = HexDigest(text, algorithm) { return digest }
    unwanted(text, at: id, want, hint: "it has \(text.unicodeScalars.count) characters")
    return nil
  }

  /// Text without expansion: a lock has no variables, and no character that could end a request's header line.
  func lockedLine(_ id: NodeID, _ want: Want) -> String? {
    guard document[id].kind == .scalar, !document.isNull(id), !document.text(of: id).isEmpty else {
      unwanted(id, want)
      return nil
    }
    let text = document.text(of: id)
    return hasNoControl(text, at: id, want) ? text : nil
  }
}
