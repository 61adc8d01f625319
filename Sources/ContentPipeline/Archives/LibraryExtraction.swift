import Archives
import Planning
import SyncModel

/// One file of a 7z or a xar.
final class LibraryExtraction: KeptExtraction {
  private let archive: LibraryArchive
  private let requireRoom: RoomDemand
  private let isCancelled: () -> Bool
  private var selection: EntrySelection
  /// The entry whose content is being read, and the bytes of it so far.
  private var current: (entry: ArchiveEntry, made: Int64, isWanted: Bool)?
  /// For content that is not wanted: the library compares sums, and misses the end, only of what is read.
  private let unwanted = Block()
  private var hasEnded = false
  private(set) var isExecutable: Bool?

  init(
    _ format: ArchiveFormat, _ rules: UnpackRules, _ store: ArchiveStore, _ requireRoom: @escaping RoomDemand,
    _ isCancelled: @escaping () -> Bool
  ) throws(FailureCause) {
    self.requireRoom = requireRoom
    self.isCancelled = isCancelled
    selection = EntrySelection(rules, strip: try Self.strip(format, rules, store, isCancelled), .directory)
    archive = try LibraryArchive(format, store)
  }

  /// How many leading folders are removed.
  static func strip(
    _ format: ArchiveFormat, _ rules: UnpackRules, _ store: ArchiveStore, _ isCancelled: () -> Bool
  ) throws(FailureCause) -> Int {
    switch rules.strip {
    case .count(let count): return count
    case .auto:
      var top = TopFolder()
      for entry in try LibraryArchive.entries(format, store, isCancelled) { top.take(entry) }
      return top.strip
    }
  }

  func read(into output: Block) throws(FailureCause) {
    while !output.isFull, !hasEnded {
      if isCancelled() { throw .internalError("cancelled") }
      if let current {
        try readContent(of: current.entry, current.made, into: current.isWanted ? output : unwanted)
      } else {
        try takeNext()
      }
    }
  }

  private func readContent(of entry: ArchiveEntry, _ made: Int64, into block: Block) throws(FailureCause) {
    let isWanted = block !== unwanted
    if !isWanted { block.clear() }
    let before = block.count
    let isEnd = try unsafe block.fill { room throws(FailureCause) in try unsafe archive.content(into: room) }
    let made = made + Int64(block.count - before)
    if made > entry.size || isEnd && made < entry.size { throw .archive(.wrongSize, entry: entry.shownName) }
    current = isEnd ? nil : (entry, made, isWanted)
  }

  private func takeNext() throws(FailureCause) {
    guard let entry = try archive.next() else {
      do throws(ArchiveFault) { try selection.finish() } catch { throw .archive(error) }
      hasEnded = true
      return
    }
    do throws(ArchiveFault) {
      switch try selection.take(entry) {
      case .other: if entry.kind == .file { current = (entry, 0, false) }
      case .wanted:
        current = (entry, 0, true)
        isExecutable = entry.isExecutable
      // Nothing says which of the two counts.
      case .duplicate, .replacesWanted: throw ArchiveFault(.duplicateFile, entry)
      }
    } catch {
      throw .archive(error)
    }
    if let current, current.isWanted { try requireRoom(current.entry.size) }
  }
}
