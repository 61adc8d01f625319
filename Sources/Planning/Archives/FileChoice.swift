import SyncModel

/// The one entry of an archive that becomes the output.
struct FileChoice: Sendable {
  private let pattern: PathPattern
  private var matched: [UInt8]?
  private var matches: [String] = []
  private var matchCount = 0
  /// The target of a hard link that is the wanted entry so far.
  private var hardLinkTarget: String?
  /// A symbolic link or a folder that matches; its target, or `nil`.
  private var otherMatch: (name: String, target: String?)?
  private var nearest: NearestEntries

  init(_ pattern: PathPattern) {
    self.pattern = pattern
    nearest = NearestEntries(pattern)
  }

  /// There are no more entries: throws unless exactly one matched.
  func finish() throws(ArchiveFault) {
    let pattern = pattern.text.text
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
      other.target.map { .matchIsLink(pattern: pattern, target: $0, isSymbolic: true) }
        ?? .matchIsFolder(pattern: pattern),
      entry: other.name)
  }

  /// Takes a safe entry; `path` is its name without the stripped folders, and `name` the whole.
  mutating func take(
    _ entry: ArchiveEntry, _ path: [ArraySlice<UInt8>], _ name: [ArraySlice<UInt8>]
  ) -> EntrySelection.Verdict {
    guard pattern.matches(path, isFolder: entry.kind == .folder) else {
      if entry.kind == .file { nearest.take(path) }
      return .other
    }
    switch entry.kind {
    case .file: return takeFile(entry, name, hardLinkTo: nil)
    case .hardLink(let target):
      return takeFile(entry, name, hardLinkTo: String(decoding: target, as: UTF8.self))
    case .symbolicLink(let target):
      if otherMatch?.target == nil { otherMatch = (entry.shownName, String(decoding: target, as: UTF8.self)) }
    case .folder: if otherMatch == nil { otherMatch = (entry.shownName, nil) }
    case .device, .fifo, .socket: break
    }
    return .other
  }

  private mutating func takeFile(
    _ entry: ArchiveEntry, _ name: [ArraySlice<UInt8>], hardLinkTo target: String?
  ) -> EntrySelection.Verdict {
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
