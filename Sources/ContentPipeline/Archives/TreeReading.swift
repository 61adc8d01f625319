import Archives
import Planning
import SyncModel

/// Puts the files of a zip, a 7z or a xar into a folder, once the archive is there as a whole.
final class TreeReading: KeptExtraction {
  private let format: ArchiveFormat
  private let store: ArchiveStore
  private let tree: TreeUnpacking
  private let isCancelled: () -> Bool
  private let block = Block()
  /// The folder's listing, once the archive was read.
  private var listing: OutgoingText?

  /// A folder is none.
  var isExecutable: Bool? { nil }

  init(
    _ format: ArchiveFormat, _ store: ArchiveStore, _ tree: TreeUnpacking, _ isCancelled: @escaping () -> Bool
  ) {
    self.format = format
    self.store = store
    self.tree = tree
    self.isCancelled = isCancelled
  }

  func read(into output: Block) throws(FailureCause) {
    if listing == nil {
      listing = OutgoingText(try format == .zip ? readZip() : readByLibrary())
    }
    listing?.pass(into: output)
  }

  private func readZip() throws(FailureCause) -> [UInt8] {
    try tree.requireRoom(atMost: try ZipReader.announcedSize(of: store)) { note throws(FailureCause) in
      let reader = try ZipReader(store)
      while let member = try reader.next() { try note(try entry(member)) }
    }
    let reader = try ZipReader(store)
    var duplicates: [ZipMember] = []
    while let member = try reader.next() {
      switch try tree.take(try entry(member)) {
      case .other, .replacesWanted: break
      case .duplicate:
        duplicates.append(member)
        if duplicates.count > ZipExtraction.mostDuplicates {
          throw .archive(.ambiguous("many names are there twice"))
        }
      case .wanted:
        let content = try ZipContent(member, store)
        try unsafe pass({ room throws(FailureCause) in try unsafe content.read(into: room) }, to: tree)
      }
    }
    try ZipExtraction.compare(duplicates, store)
    return try tree.finish()
  }

  private func readByLibrary() throws(FailureCause) -> [UInt8] {
    let archive = try LibraryArchive(format, store)
    if let size = archive.announcedSize {
      try tree.requireRoom(atMost: size) { note throws(FailureCause) in
        let archive = try LibraryArchive(format, store)
        while let entry = try archive.next() { try note(entry) }
      }
    }
    while let entry = try archive.next() {
      let verdict = try tree.take(entry)
      if verdict == .duplicate { throw .archive(.duplicateFile, entry: entry.shownName) }
      guard entry.kind == .file else { continue }
      // Content that is not wanted is read, too: only then does the library compare its sum.
      let made = try unsafe pass(
        { room throws(FailureCause) in try unsafe archive.content(into: room) },
        to: verdict == .wanted ? tree : nil, atMost: entry.size)
      if made != entry.size { throw .archive(.wrongSize, entry: entry.shownName) }
    }
    return try tree.finish()
  }

  private func entry(_ member: ZipMember) throws(FailureCause) -> ArchiveEntry {
    try stopIfCancelled()
    do throws(ArchiveFault) { return try ZipExtraction.withTarget(member, store) } catch {
      throw .archive(error)
    }
  }

  private func stopIfCancelled() throws(FailureCause) {
    if isCancelled() { throw .internalError("cancelled") }
  }

  /// Returns the number of bytes; nothing beyond `limit` is passed.
  @discardableResult
  private func pass(
    _ source: (UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int, to tree: TreeUnpacking?,
    atMost limit: Int64 = .max
  ) throws(FailureCause) -> Int64 {
    var made: Int64 = 0
    while true {
      try stopIfCancelled()
      block.clear()
      let isEnd = try unsafe block.fill(from: source)
      made += Int64(block.count)
      // The data of a xar may be longer than its table says.
      if made > limit { return made }
      try unsafe tree?.write(block.bytes)
      if isEnd { return made }
    }
  }
}
