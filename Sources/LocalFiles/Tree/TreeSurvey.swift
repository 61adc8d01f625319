import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What becomes of each file, link and folder that is in a live folder when a new tree takes its place.
///
/// It only looks; see the contract, section 10.
struct TreeSurvey: Sendable {
  /// Something that is not from the new archive and stays.
  struct Carried {
    let path: [UInt8]
    let isFolder: Bool
  }

  /// The edits that are neither replaced nor kept but refused.
  private(set) var refused: [[UInt8]] = []
  /// What is where the new tree has an entry, and must not be replaced at all.
  private var spared: [UInt8]?
  /// The new file or link in whose place a folder is that nobody has recorded.
  private var blocked: [UInt8]?
  /// Each folder before what is in it.
  private(set) var carried: [Carried] = []
  /// The paths of new entries, or of folders above them, in whose place something of ``carried`` stays.
  private(set) var kept: Set<[UInt8]> = []
  /// Unrecorded files, links and folders that are removed.
  private(set) var dropped: Set<[UInt8]> = []
  /// Recorded files and links that are removed.
  private(set) var removed: [[UInt8]] = []
  /// Recorded folders that are removed, each before those in it.
  private(set) var emptied: [[UInt8]] = []
  /// New entries whose live file is no longer the one that was found to have their bytes.
  private(set) var lost: Set<[UInt8]> = []
  /// The number of new entries whose live file still is.
  private(set) var unchangedCount = 0
  /// Whether something is mounted in the folder: then it cannot be exchanged, or the mount would go with the old one.
  private(set) var hasMounts = false
  /// The permission bits and groups of the folders, each after those in it.
  private(set) var modes: [(path: [UInt8], mode: mode_t, group: gid_t)] = []

  /// The signatures of what was found, except recorded files and links that were unedited.
  private var found: [[UInt8]: FileSignature] = [:]

  private let order: StagedTree.Order
  /// Whether an unrecorded file in a new one's place is an edit.
  private let protectsUnrecorded: Bool
  /// New files and links.
  private let new: MadeTree
  /// New folders, empty or not.
  private let newFolders: Set<[UInt8]>
  /// The recorded entries as the new tree spells them, if the file system ignores case.
  private let respelled: [[UInt8]: TreeListing.Entry]
  private let oldFolders: Set<[UInt8]>

  /// `nil` if the file system distinguishes case.
  private let spellings: NewSpellings?
  /// The live spellings of paths that the new tree spells in another way.
  private var places: [[UInt8]: [UInt8]] = [:]

  /// The unrecorded folder that was searched last for what is never removed, with a slash at its end; and the folders of it
  /// that are or have such a thing.
  private var searched: [UInt8] = []
  private var holders: Set<[UInt8]> = []

  private enum Standing { case recorded, edited, unrecorded }

  /// `wasMissing`: no folder was expected to be there.
  init(_ tree: StagedTree, of live: OpenFolder, wasMissing: Bool) throws(SystemError) {
    try self.init(
      tree.order, tree.made, of: live, wasMissing: wasMissing, ignoresCase: tree.ignoresCase)
  }

  /// The same for a tree that is `made` without an archive. `ignoresCase`: names that differ in case only are one.
  init(
    _ order: StagedTree.Order, _ made: MadeTree, of live: OpenFolder, wasMissing: Bool, ignoresCase: Bool
  ) throws(SystemError) {
    self.order = order
    protectsUnrecorded = order.old != nil || wasMissing
    new = made
    newFolders = TreeListing.folders(of: made.entries)
    let spellings = ignoresCase ? NewSpellings(of: Array(made.entries.paths) + Array(newFolders)) : nil
    self.spellings = spellings
    let recorded = order.old?.entries ?? TreeEntries()
    respelled =
      spellings.map { spellings in Dictionary(recorded.map { (spellings[$0.path], $0) }) { $1 } } ?? [:]
    let folders = TreeListing.folders(of: recorded)
    oldFolders = if let spellings { Set(folders.map { spellings[$0] }) } else { folders }
    try visit(live, [], place: [], contested: nil)
  }

  /// `place` is `path` as the live folder spells it; `contested` is the path of the new file in whose place a folder is that
  /// contains this one.
  private mutating func visit(
    _ folder: OpenFolder, _ path: [UInt8], place: [UInt8], contested: [UInt8]?
  ) throws(SystemError) {
    for name in try folder.entries() {
      let entry = spelled(path.appending(name))
      let entryPlace = spellings == nil ? entry : place.appending(name)
      if entry != entryPlace { places[entry] = entryPlace }
      let status: FileStatus
      do throws(SystemError) { status = try folder.status(of: name) } catch {
        // It was removed meanwhile.
        guard error.code == ENOENT else { throw error }
        continue
      }
      guard status.kind == .folder else {
        decide(entry, status, contested)
        continue
      }
      let next = new.place(of: entry) == nil ? contested : contested ?? entry
      let inner = try OpenFolder(name, in: folder)
      if inner.isMountPoint { try noteMount(mayGo: next != nil) }
      guard try decideFolder(entry, inner, contested: next) else {
        try refuseMounts(in: inner)
        continue
      }
      try visit(inner, entry, place: entryPlace, contested: next)
      modes.append((entry, status.mode, status.group))
    }
  }

  /// What is mounted is not removed, whatever the rules say of unrecorded files. Only folders are looked at: on overlayfs
  /// files have other devices than their folders without being mounted.
  private mutating func noteMount(mayGo: Bool) throws(SystemError) {
    guard !mayGo, order.rules.pruning != .all else { throw SystemError(EBUSY) }
    hasMounts = true
  }

  /// The same for everything in a folder that is removed as a whole.
  private func refuseMounts(in folder: OpenFolder) throws(SystemError) {
    for name in try folder.entries() {
      let status = try ifThere { () throws(SystemError) in try folder.status(of: name) }
      guard status?.kind == .folder else { continue }
      let inner = try OpenFolder(name, in: folder)
      guard !inner.isMountPoint else { throw SystemError(EBUSY) }
      try refuseMounts(in: inner)
    }
  }

  /// Whether the folder has to be visited.
  private mutating func decideFolder(
    _ path: [UInt8], _ folder: OpenFolder, contested: [UInt8]?
  ) throws(SystemError) -> Bool {
    let isRecorded = oldFolders.contains(path)
    if let contested {
      if isRecorded { emptied.append(path) } else { dispute(path, contested, isFolder: true) }
    } else if !newFolders.contains(path) {
      if !isRecorded, order.rules.pruning == .all, try !holdsSpared(path, folder) {
        dropped.insert(path)
        return false
      }
      if !isRecorded || order.rules.pruning == .none {
        carried.append(Carried(path: path, isFolder: true))
      } else {
        emptied.append(path)
      }
    }
    return true
  }

  /// Whether an unrecorded folder is, or has in it, what is never removed.
  private mutating func holdsSpared(_ path: [UInt8], _ folder: OpenFolder) throws(SystemError) -> Bool {
    // All that is in a folder was looked at with it.
    if searched.isEmpty || !path.starts(with: searched) {
      searched = path + [UInt8(ascii: "/")]
      holders = []
      _ = try findSpared(path, folder)
    }
    return holders.contains(path)
  }

  private mutating func findSpared(_ path: [UInt8], _ folder: OpenFolder) throws(SystemError) -> Bool {
    var isHolder = order.spares(path, isFolder: true)
    for name in try folder.entries() {
      let inner = path.appending(name)
      let status = try ifThere { () throws(SystemError) in try folder.status(of: name) }
      let isSpared =
        if status?.kind == .folder {
          try findSpared(inner, try OpenFolder(name, in: folder))
        } else {
          order.spares(inner, isFolder: false)
        }
      isHolder = isHolder || isSpared
    }
    if isHolder { holders.insert(path) }
    return isHolder
  }

  private mutating func decide(_ path: [UInt8], _ status: FileStatus, _ contested: [UInt8]?) {
    let standing: Standing =
      if let entry = recorded(path) { status.isRecorded(entry) ? .recorded : .edited } else { .unrecorded }
    if standing != .recorded { found[path] = status.signature }
    let entry = new.place(of: path)
    if let place = contested ?? (newFolders.contains(path) || entry != nil ? path : nil) {
      if let signature = entry.flatMap({ new.live($0) }) {
        // Its bytes are those of the new entry: whatever it is, it stays.
        if signature == status.signature {
          unchangedCount += 1
          return
        }
        lost.insert(path)
      }
      if standing != .recorded {
        dispute(path, place, isFolder: false)
      } else if entry == nil {
        removed.append(path)
      }
      return
    }
    let carries =
      switch (standing, order.rules.pruning) {
      case (.edited, _) where order.edits == .refuse:
        refuse(path)
      case (.edited, let pruning): order.edits == .keep || pruning == .none
      case (.recorded, let pruning): pruning == .none
      case (.unrecorded, let pruning): pruning != .all || order.spares(path, isFolder: false)
      }
    if carries {
      carried.append(Carried(path: path, isFolder: false))
    } else if standing == .unrecorded {
      dropped.insert(path)
    } else {
      removed.append(path)
    }
  }

  /// Something that is not ours is where the new tree has an entry, at `place`.
  private mutating func dispute(_ path: [UInt8], _ place: [UInt8], isFolder: Bool) {
    let isRecorded = recorded(path) != nil
    let isProtected = isRecorded || protectsUnrecorded
    let stays = order.edits == .keep && isProtected
    if !isRecorded, !stays, order.spares(path, isFolder: isFolder) {
      spared = spared ?? path
      return
    }
    // Without a record a file may be the target's own. The archive has no folder here, so this one is somebody else's.
    if isFolder, !isProtected, order.edits != .overwrite {
      blocked = blocked ?? place
      return
    }
    switch order.edits {
    case .refuse where isProtected: _ = refuse(path)
    case .keep where isProtected:
      kept.insert(place)
      carried.append(Carried(path: path, isFolder: isFolder))
    default: dropped.insert(path)
    }
  }

  /// Whether an old file stays where the new tree has `path` or a folder above it.
  func isKept(_ path: [UInt8]) -> Bool {
    !kept.isEmpty && (kept.contains(path) || path.foldersAbove.contains { kept.contains(Array($0)) })
  }

  /// The files, links and folders that are not from the new archive and stay.
  var staying: Set<[UInt8]> { Set(carried.map(\.path)) }

  /// Whether nothing is removed or replaced, apart from what the new tree has written.
  var removesNothing: Bool {
    removed.isEmpty && emptied.isEmpty && dropped.isEmpty && kept.isEmpty && lost.isEmpty
  }

  /// Whether the old listing has it.
  func isRecorded(_ path: [UInt8]) -> Bool { recorded(spelled(path)) != nil }

  private func recorded(_ path: [UInt8]) -> TreeListing.Entry? {
    spellings == nil ? order.old?[path] : respelled[path]
  }

  /// Whether it is unrecorded and removed.
  func isDropped(_ path: [UInt8]) -> Bool { dropped.contains(spelled(path)) }

  /// What was at `path` or, for a recorded file, should have been; `nil` if nothing was.
  func signature(_ path: [UInt8]) -> FileSignature? {
    let path = spelled(path)
    return found[path] ?? recorded(path)?.signature
  }

  /// How the live folder spells a path of this survey.
  func place(of path: [UInt8]) -> [UInt8] { places[path] ?? path }

  /// As the new tree has it, if the file system ignores case: whatever the case of a live name is, a new entry takes its
  /// place, and must not be removed as the old one.
  private func spelled(_ path: [UInt8]) -> [UInt8] { spellings?[path] ?? path }

  private mutating func refuse(_ path: [UInt8]) -> Bool {
    refused.append(path)
    return true
  }

  /// The failure for what was refused; `nil` if nothing was.
  var failure: FailureCause? { sparedFailure ?? (refused.isEmpty ? nil : .edited(refused)) }

  /// The same for what nobody has recorded and is no edit.
  var sparedFailure: FailureCause? {
    spared.map { .outputUnwritable(path: order.output.text(of: $0), .isProtected) }
      ?? blocked.map { .outputUnwritable(path: order.output.text(of: $0), .isFolder) }
  }
}
