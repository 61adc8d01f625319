import Archives
import SyncModel

/// What reading the content of a member takes: memory, which the next member can use as well.
final class ZipTools {
  /// Compressed bytes.
  fileprivate let block = Block()
  fileprivate let inflater: RawInflater

  /// `library` inflates.
  init(_ library: UnpackingLibrary) throws(FailureCause) { inflater = try RawInflater(library) }
}

/// The content of one member of a zip, compared with its size and its check sum.
final class ZipContent {
  private let member: ZipMember
  private let store: ArchiveStore
  private let tools: ZipTools
  private var block: Block { tools.block }
  /// Where the bytes of the block begin that were not used yet.
  private var place = 0
  /// Compressed bytes read.
  private var taken: Int64 = 0
  /// Bytes of the content so far.
  private var made: Int64 = 0
  /// Of a stored member's bytes so far.
  private var sum: UInt32 = 0
  private var hasEnded = false

  /// No other content may use `tools` from now on until this one was read.
  init(_ member: ZipMember, _ store: ArchiveStore, _ tools: ZipTools) {
    self.member = member
    self.store = store
    self.tools = tools
    tools.block.clear()
    tools.inflater.restart()
  }

  /// Puts the next bytes into `room`, which is not empty; returns how many, 0 at the end. Throws if they are not what
  /// the archive says.
  func read(into room: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    guard !hasEnded else { return 0 }
    let count = try unsafe member.method == .deflated ? inflate(into: room) : copy(into: room)
    guard count > 0 else {
      hasEnded = true
      try checkEnd()
      return 0
    }
    made += Int64(count)
    if made > member.entry.size { throw fault(.wrongSize) }
    return count
  }

  /// The whole content, which must be short.
  func all() throws(FailureCause) -> [UInt8] {
    var bytes: [UInt8] = []
    let piece = Block()
    while true {
      piece.clear()
      let isEnd = try unsafe piece.fill { room throws(FailureCause) in try unsafe read(into: room) }
      unsafe bytes.append(contentsOf: piece.bytes)
      if isEnd { return bytes }
    }
  }

  /// Reads both to their ends; throws if it is cancelled.
  func isEqual(to other: ZipContent, _ isCancelled: () -> Bool) throws(FailureCause) -> Bool {
    let (mine, its) = (Block(), Block())
    while true {
      if isCancelled() { throw .internalError("cancelled") }
      mine.clear()
      its.clear()
      let isEnd = try unsafe mine.fill { room throws(FailureCause) in try unsafe read(into: room) }
      _ = try unsafe its.fill { room throws(FailureCause) in try unsafe other.read(into: room) }
      guard unsafe mine.bytes.elementsEqual(its.bytes) else { return false }
      if isEnd { return true }
    }
  }

  private func copy(into room: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    let part = unsafe UnsafeMutableRawBufferPointer(
      rebasing: room.prefix(Int(min(Int64(room.count), member.packedSize - taken))))
    guard unsafe !part.isEmpty else { return 0 }
    let count = try unsafe store.read(at: member.dataOffset + taken, into: part)
    taken += Int64(count)
    unsafe sum = RawInflater.crc32(sum, UnsafeRawBufferPointer(rebasing: room.prefix(count)))
    return count
  }

  private func inflate(into room: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    while true {
      if place == block.count { try refill() }
      let input = unsafe UnsafeRawBufferPointer(rebasing: block.bytes[place...])
      let (used, made, status) = unsafe tools.inflater.step(input, into: room)
      place += used
      switch status {
      case .ended:
        // Data behind the end would be another reader's.
        guard taken == member.packedSize, place == block.count else { throw fault(.wrongSize) }
        return made
      case .damaged(let text):
        throw fault(.damaged(text, at: member.dataOffset + taken - Int64(block.count - place)))
      case .more:
        if made > 0 { return made }
        guard taken < member.packedSize || place < block.count else {
          throw fault(.damaged("the compressed data have no end", at: member.dataOffset + taken))
        }
      }
    }
  }

  private func refill() throws(FailureCause) {
    block.clear()
    place = 0
    _ = try unsafe block.fill { room throws(FailureCause) in
      let part = unsafe UnsafeMutableRawBufferPointer(
        rebasing: room.prefix(Int(min(Int64(room.count), member.packedSize - taken))))
      guard unsafe !part.isEmpty else { return 0 }
      let count = try unsafe store.read(at: member.dataOffset + taken, into: part)
      taken += Int64(count)
      return count
    }
  }

  private func checkEnd() throws(FailureCause) {
    if made != member.entry.size { throw fault(.wrongSize) }
    let sum = member.method == .deflated ? tools.inflater.crc32 : sum
    if sum != member.crc32 { throw fault(.wrongSum) }
  }

  private func fault(_ reason: ArchiveFault.Reason) -> FailureCause {
    .archive(reason, entry: member.entry.shownName)
  }
}
