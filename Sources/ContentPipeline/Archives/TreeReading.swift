import Archives
import Planning
import SyncModel

/// Puts the files of a zip, a 7z or a xar into a folder, once the archive is there as a whole.
final class TreeReading: KeptExtraction {
  private let format: ArchiveFormat
  private let store: ArchiveStore
  private let tree: TreeUnpacking
  private let library: UnpackingLibrary
  private let isCancelled: () -> Bool
  private let block = Block()
  /// The folder's listing, once the archive was read.
  private var listing: OutgoingListing?

  /// A folder is none.
  var isExecutable: Bool? { nil }

  /// `library` inflates the members of a zip.
  init(
    _ format: ArchiveFormat, _ store: ArchiveStore, _ tree: TreeUnpacking, by library: UnpackingLibrary,
    _ isCancelled: @escaping () -> Bool
  ) {
    self.library = library
    self.format = format
    self.store = store
    self.tree = tree
    self.isCancelled = isCancelled
  }

  func read(into output: Block) throws(FailureCause) {
    if listing == nil {
      listing = OutgoingListing(try format == .zip ? readZip() : readByLibrary())
    }
    listing?.pass(into: output)
  }

  private func readZip() throws(FailureCause) -> TreeEntries {
    let tools = try ZipTools(library)
    try tree.requireRoom(atMost: try ZipReader.announcedSize(of: store)) { note throws(FailureCause) in
      let reader = try ZipReader(store)
      while let member = try reader.next() { try note(try entry(member, tools)) }
    }
    let reader = try ZipReader(store)
    var duplicates: [ZipMember] = []
    while let member = try reader.next() {
      switch try tree.take(try entry(member, tools)) {
      case .other, .replacesWanted: break
      case .duplicate:
        duplicates.append(member)
        if duplicates.count > ZipExtraction.mostDuplicates {
          throw .archive(.ambiguous("many names are there twice"))
        }
      case .wanted:
        let content = ZipContent(member, store, tools)
        try unsafe pass({ room throws(FailureCause) in try unsafe content.read(into: room) }, to: tree)
      }
    }
    try ZipExtraction.compare(duplicates, store, by: library, isCancelled)
    return try tree.finish()
  }

  private func readByLibrary() throws(FailureCause) -> TreeEntries {
    let archive = try LibraryArchive(format, store)
    if let size = archive.announcedSize {
      try tree.requireRoom(atMost: size) { note throws(FailureCause) in
        for entry in try LibraryArchive.entries(format, store, isCancelled) { try note(entry) }
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

  private func entry(_ member: ZipMember, _ tools: ZipTools) throws(FailureCause) -> ArchiveEntry {
    try stopIfCancelled()
    return try ZipExtraction.withTarget(member, store, tools)
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
