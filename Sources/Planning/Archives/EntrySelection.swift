package import SyncModel

/// Checks the entries of an archive one after the other, and finds the one that becomes the output (contract,
/// section 10).
///
/// Every entry is checked, also those that are not wanted: only `exclude` skips one.
package struct EntrySelection: Sendable {
  /// How a format treats names.
  package enum Naming: Sendable {
    /// A later regular file replaces an earlier one of its name.
    case tar
    /// A name occurs once, and backslashes may separate folders.
    case directory

    /// The rules of an archive's format.
    package init(_ format: ArchiveFormat) { self = format.isStream ? .tar : .directory }
  }

  /// What an entry is for the output.
  package enum Verdict: Sendable, Equatable {
    /// Its content is not needed.
    case other
    /// Its content is the output, unless ``EntrySelection/finish()`` throws, or another one replaces it.
    case wanted
    /// The same, in place of the earlier one.
    case replacesWanted
    /// There is an earlier file of the same name; its bytes must be the same, else it is `.duplicateFile`.
    case duplicate
  }

  private let rules: UnpackRules
  private let naming: Naming
  private let strip: Int
  private var count = 0
  private var table = EntryTable()
  private var matched: [UInt8]?
  private var matches: [String] = []
  private var matchCount = 0
  /// The target of a hard link that is the wanted entry so far.
  private var hardLinkTarget: String?
  /// A symbolic link or a folder that matches; its target, or `nil`.
  private var otherMatch: (name: String, target: String?)?
  private var nearest: NearestEntries

  /// `strip` is the number of leading folders that ``UnpackRules/strip`` removes from this archive.
  package init(_ rules: UnpackRules, strip: Int, _ naming: Naming) {
    self.rules = rules
    self.strip = strip
    self.naming = naming
    nearest = NearestEntries(rules.entry)
  }

  /// Takes the next entry, and throws if it is not safe.
  package mutating func take(_ entry: ArchiveEntry) throws(ArchiveFault) -> Verdict {
    count += 1
    if count > rules.mostEntries { throw ArchiveFault(.tooManyEntries(limit: rules.mostEntries)) }
    do throws(ArchiveFault.Reason) { return try judge(entry) } catch { throw ArchiveFault(error, entry) }
  }

  /// There are no more entries: throws unless exactly one matched.
  package func finish() throws(ArchiveFault) {
    let pattern = rules.entry.text.text
    if matchCount > 1 {
      throw ArchiveFault(.severalMatches(pattern: pattern, names: matches, count: matchCount))
    }
    if matchCount == 1 {
      guard let target = hardLinkTarget else { return }
      throw ArchiveFault(.matchIsLink(pattern: pattern, target: target), entry: matches.first)
    }
    guard let other = otherMatch else {
      throw ArchiveFault(.noMatch(pattern: pattern, nearest: nearest.names))
    }
    throw ArchiveFault(
      other.target.map { .matchIsLink(pattern: pattern, target: $0) } ?? .matchIsFolder(pattern: pattern),
      entry: other.name)
  }

  private mutating func judge(_ entry: ArchiveEntry) throws(ArchiveFault.Reason) -> Verdict {
    let isFolder = entry.kind == .folder
    let path = Array(EntryName(unchecked: entry.name).parts.dropFirst(strip))
    if rules.exclude.excludes(path, isFolder: isFolder) { return .other }
    let name = try EntryName(entry.name, isWindows: naming == .directory).parts
    guard !name.isEmpty else {
      guard isFolder else { throw .emptyName }
      return .other
    }
    let kind = try table(entry, path)
    if name.count <= strip, !isFolder { throw .shorterThanStrip(strip) }
    return try note(name, kind) ? .duplicate : match(entry, path, name)
  }

  /// The entry's kind for the table. Throws for those that are never safe.
  private func table(_ entry: ArchiveEntry, _ path: [ArraySlice<UInt8>]) throws(ArchiveFault.Reason)
    -> EntryTable.Kind
  {
    switch entry.kind {
    case .file: return .file
    case .folder: return .folder
    case .device: throw .device
    case .fifo: throw .fifo
    case .socket: throw .socket
    case .symbolicLink(let target):
      try checkLink(target, from: path)
      return .link
    case .hardLink(let target):
      guard table[EntryName(unchecked: target).parts] == .file, target.first != UInt8(ascii: "/") else {
        throw .hardLinkToNoFile(target: String(decoding: target, as: UTF8.self))
      }
      return .file
    }
  }

  /// By the names alone: a link that leads outside through other links is found when it is made.
  private func checkLink(
    _ target: [UInt8], from path: [ArraySlice<UInt8>]
  ) throws(ArchiveFault.Reason) {
    if let control = EntryName.control(in: target) { throw .controlCharacter(control) }
    var depth = max(path.count - 1, 0)
    var leadsOutside = target.isEmpty || target.first == UInt8(ascii: "/")
    for part in EntryName(unchecked: target).parts {
      depth += part.elementsEqual("..".utf8) ? -1 : 1
      if depth < 0 { leadsOutside = true }
    }
    if leadsOutside { throw .linkLeadsOutside(target: String(decoding: target, as: UTF8.self)) }
  }

  /// Whether the entry repeats an earlier one that it does not replace.
  private mutating func note(_ name: [ArraySlice<UInt8>], _ kind: EntryTable.Kind) throws(ArchiveFault.Reason)
    -> Bool
  {
    try table.noteFolders(of: name)
    guard let before = table[name] else {
      table[name] = kind
      return false
    }
    guard before == kind else { throw .otherKindBefore }
    guard naming == .directory, kind != .folder else { return false }
    if kind == .link { throw .duplicateFile }
    return true
  }

  private mutating func match(
    _ entry: ArchiveEntry, _ path: [ArraySlice<UInt8>], _ name: [ArraySlice<UInt8>]
  ) -> Verdict {
    guard rules.entry.matches(path, isFolder: entry.kind == .folder) else {
      if entry.kind == .file { nearest.take(path) }
      return .other
    }
    switch entry.kind {
    case .file: return matchFile(entry, name, hardLinkTo: nil)
    case .hardLink(let target):
      return matchFile(entry, name, hardLinkTo: String(decoding: target, as: UTF8.self))
    case .symbolicLink(let target):
      if otherMatch?.target == nil { otherMatch = (entry.shownName, String(decoding: target, as: UTF8.self)) }
    case .folder: if otherMatch == nil { otherMatch = (entry.shownName, nil) }
    case .device, .fifo, .socket: break
    }
    return .other
  }

  private mutating func matchFile(
    _ entry: ArchiveEntry, _ name: [ArraySlice<UInt8>], hardLinkTo target: String?
  ) -> Verdict {
    let key = EntryName.joined(name)
    if matched == key {
      hardLinkTarget = target
      return .replacesWanted
    }
    matchCount += 1
    if matches.count < 3 { matches.append(entry.shownName) }
    guard matchCount == 1 else { return .other }
    (matched, hardLinkTarget) = (key, target)
    return .wanted
  }
}
