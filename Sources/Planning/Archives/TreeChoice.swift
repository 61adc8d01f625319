import SyncModel

/// The entries of an archive that become a folder.
struct TreeChoice: Sendable {
  /// What Linux follows before it gives up. Other programs follow more, so that a longer chain is refused.
  private static let mostLinksFollowed = 40

  private let include: [PathPattern]
  /// For each pattern whether it has matched.
  private var hasMatched: [Bool]
  private var nearest: [NearestEntries]
  /// The wanted files, and the folders that something wanted is in.
  private var table = EntryTable()
  /// The targets of wanted symbolic links, by their paths.
  private var links: [[UInt8]: [UInt8]] = [:]
  /// The wanted folders, and whether the archive has something in them.
  private var folders: [[UInt8]: Bool] = [:]
  /// The folder of the last entry, which is noted.
  private var lastFolder: ArraySlice<ArraySlice<UInt8>> = []

  /// `nil` where names that differ in case only are two.
  private var spellings: SpellingTable?

  /// With no pattern in `include`, everything is wanted. `ignoringCase` tells how the folder's file system treats names.
  init(_ include: [PathPattern], ignoringCase: Bool) {
    if ignoringCase { spellings = SpellingTable() }
    self.include = include
    hasMatched = include.map(\.isNegated)
    nearest = include.map { NearestEntries($0) }
  }

  /// Takes a safe entry by its path in the folder; returns whether it is wanted.
  ///
  /// Throws if its name and that of an earlier one would be one name.
  mutating func take(
    _ entry: ArchiveEntry, _ path: [ArraySlice<UInt8>]
  ) throws(ArchiveFault.Reason) -> Bool {
    noteInside(path)
    guard !path.isEmpty, includes(path, entry.kind) else { return false }
    try spellings?.take(path)
    // Of a folder itself it is known at the end whether it is made.
    if entry.kind != .folder { try table.noteFolders(of: path) }
    switch entry.kind {
    case .file, .hardLink: table[path] = .file
    case .symbolicLink(let target): links[EntryName.joined(path)] = target
    case .folder:
      let key = EntryName.joined(path)
      if folders[key] == nil { folders[key] = false }
    case .device, .fifo, .socket: break
    }
    return true
  }

  /// An entry that is not unpacked keeps its folder from being an empty one.
  mutating func noteExcluded(_ path: [ArraySlice<UInt8>]) { noteInside(path) }

  /// Whether a file is wanted at that path.
  func hasFile(at path: [UInt8]) -> Bool { table[EntryName(unchecked: path).parts] == .file }

  /// Wanted folders without entries.
  var emptyFolders: [[UInt8]] { folders.compactMap { $0.value ? nil : $0.key } }

  /// There are no more entries: throws unless each pattern has matched a file, and no link can lead outside.
  func finish() throws(ArchiveFault) {
    if let missed = hasMatched.firstIndex(of: false) {
      let pattern = include[missed].text.text
      throw ArchiveFault(.noMatch(pattern: pattern, nearest: nearest[missed].names, key: .include))
    }
    var made: Set<[UInt8]> = []
    if !links.isEmpty {
      for folder in emptyFolders {
        let parts = EntryName(unchecked: folder).parts
        for end in parts.indices { made.insert(EntryName.joined(parts[...end])) }
      }
    }
    for (path, target) in links where canLeadOutside(path, target, made) {
      throw ArchiveFault(
        .linkLeadsOutside(target: String(decoding: target, as: UTF8.self)),
        entry: String(decoding: path, as: UTF8.self))
    }
  }

  private mutating func includes(_ path: [ArraySlice<UInt8>], _ kind: ArchiveEntry.Kind) -> Bool {
    guard !include.isEmpty else { return true }
    let isFolder = kind == .folder
    var isIncluded = false
    for (place, pattern) in include.enumerated() {
      if pattern.matchesWithin(path, isFolder: isFolder) {
        isIncluded = !pattern.isNegated
        if !isFolder { hasMatched[place] = true }
      } else if !hasMatched[place], kind == .file {
        nearest[place].take(path)
      }
    }
    return isIncluded
  }

  private mutating func noteInside(_ path: [ArraySlice<UInt8>]) {
    let folder = path.dropLast()
    if folder == lastFolder { return }
    for end in folder.indices { folders[EntryName.joined(folder[...end]), default: true] = true }
    lastFolder = folder
  }

  /// Whether the link at `path` may end above the folder once all links are there, or pass it on its way.
  ///
  /// What the archive does not make may be a link that is in the folder already, and what one of its links leads to may be
  /// another place after the next release. So `..` after anything but a folder of the archive may lead anywhere.
  ///
  /// - made: the folders that are made though nothing wanted is in them.
  private func canLeadOutside(_ path: [UInt8], _ target: [UInt8], _ made: Set<[UInt8]>) -> Bool {
    var place = EntryName(unchecked: path).parts.dropLast().map { Array($0) }
    /// Of each part of ``place`` how many links were being followed.
    var depths = place.map { _ in 0 }
    var rest: [[UInt8]] = EntryName(unchecked: target).parts.reversed().map { Array($0) }
    /// The links on the way that are not passed yet, and how many parts follow each.
    var open: [(link: [UInt8], following: Int)] = []
    var followed = 0
    while let part = rest.popLast() {
      open.removeAll { $0.following > rest.count }
      if part.elementsEqual("..".utf8) {
        guard let depth = depths.popLast(), depth <= open.count, isMade(place, made) else { return true }
        place.removeLast()
        continue
      }
      place.append(part)
      depths.append(open.count)
      let link = Array(place.joined(separator: [UInt8(ascii: "/")]))
      guard let next = links[link] else { continue }
      // A circle leads nowhere, as long as nothing takes the place of one of its links.
      if open.contains(where: { $0.link == link }) { return rest.contains { $0.elementsEqual("..".utf8) } }
      followed += 1
      guard followed <= Self.mostLinksFollowed else { return true }
      open.append((link, rest.count))
      place.removeLast()
      depths.removeLast()
      rest += EntryName(unchecked: next).parts.reversed().map { Array($0) }
    }
    return false
  }

  /// Whether unpacking makes a folder there.
  private func isMade(_ folder: [[UInt8]], _ made: Set<[UInt8]>) -> Bool {
    table[folder.map { $0[...] }] == .folder
      || made.contains(Array(folder.joined(separator: [UInt8(ascii: "/")])))
  }
}
