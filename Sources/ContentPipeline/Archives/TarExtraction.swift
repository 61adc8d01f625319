import Archives
import Planning
import SyncModel

/// Reads a tar, compressed or not, from pieces of any size.
final class TarExtraction {
  /// What is wanted of it.
  enum Purpose {
    /// The content of one entry.
    case extract(EntrySelection)
    /// Only the folder that contains everything.
    case find(TopFolder)
    /// All files, which go into a folder. What is put out is the folder's listing, at the end.
    case unpack(TreeUnpacking)
  }

  private var purpose: Purpose
  /// `nil` if the tar is not compressed.
  private let unpacker: Unpacker?
  /// Bytes of the tar that were not read yet, from `place` on; without compression only the first ones.
  private let block = Block()
  private var place = 0
  private var reader = TarReader()
  private var isWanted = false
  private var hasTakenBack = false
  /// Whether the wanted entry is a program; `nil` before it was found.
  private(set) var isExecutable: Bool?
  /// The listing of the folder, once the archive has ended.
  private var listing: OutgoingListing?
  private let requireRoom: RoomDemand
  private let isCancelled: () -> Bool

  /// `requireRoom` is asked about the content of one entry.
  init(
    _ format: ArchiveFormat, _ decoding: (Compression) -> Decoding, _ purpose: Purpose,
    _ requireRoom: @escaping RoomDemand, _ isCancelled: @escaping () -> Bool
  ) {
    self.purpose = purpose
    self.requireRoom = requireRoom
    self.isCancelled = isCancelled
    unpacker = format.compression.map { Unpacker(decoding($0), isArchive: true) }
  }

  /// Compressed bytes of ``feed(_:)``.
  private var pending: [UInt8] = []

  /// Takes the first bytes, at most a block, which ``unpack(_:into:isLast:)`` reads before its own.
  func feed(_ bytes: [UInt8]) { pending = bytes }

  /// As ``ByteTransform/unpack(_:into:isLast:)``.
  func unpack(
    _ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool
  ) throws(FailureCause) -> Int {
    if listing != nil {
      listing?.pass(into: output)
      return input.count
    }
    let used = try unsafe read(input, into: output, isLast: isLast)
    if isLast, used == input.count, pending.isEmpty, case .unpack(let tree) = purpose {
      try end()
      listing = OutgoingListing(try tree.finish())
      listing?.pass(into: output)
    }
    return used
  }

  private func read(
    _ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool
  ) throws(FailureCause) -> Int {
    if !pending.isEmpty {
      let first = pending
      var used = 0
      pending = []
      try unsafe first.withBytes { bytes throws(FailureCause) in
        used = try unsafe pass(bytes, into: output, isLast: false)
      }
      if used < first.count {
        pending = Array(first[used...])
        return 0
      }
    }
    return try unsafe pass(input, into: output, isLast: isLast)
  }

  /// The archive has ended: throws unless it was whole and exactly one entry matched. Returns the number of folders to
  /// strip, if that was asked.
  func finish() throws(FailureCause) -> Int {
    // A folder's end was checked before its listing was put out.
    if listing != nil { return 0 }
    try end()
    switch purpose {
    case .extract(let selection):
      do throws(ArchiveFault) { try selection.finish() } catch { throw .archive(error) }
    case .find(let top): return top.strip
    case .unpack: throw .internalError("an archive was not read")
    }
    return 0
  }

  /// Throws unless the data and the archive have ended.
  private func end() throws(FailureCause) {
    do throws(FailureCause) { try unpacker?.finish() } catch { throw error.ofArchive }
    do throws(ArchiveFault) { try reader.finish() } catch { throw .archive(error) }
  }

  func takesBack() -> Bool {
    defer { hasTakenBack = false }
    return hasTakenBack
  }

  private func pass(
    _ input: UnsafeRawBufferPointer, into output: Block, isLast: Bool
  ) throws(FailureCause) -> Int {
    guard let unpacker else { return try unsafe readTar(input, into: output) }
    var used = 0
    while true {
      let unread = unsafe UnsafeRawBufferPointer(rebasing: block.bytes[place...])
      place += try unsafe readTar(unread, into: output)
      guard place == block.count else { return used }
      // A block of a bomb expands a thousandfold; this failure is not reported.
      if isCancelled() { throw .internalError("cancelled") }
      block.clear()
      place = 0
      do throws(FailureCause) {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: input[used...])
        used += try unsafe unpacker.unpack(rest, into: block, isLast: isLast)
      } catch {
        throw error.ofArchive
      }
      if block.count == 0 { return used }
    }
  }

  /// Reads until `bytes` are used up or `output` is full; returns how many were used.
  private func readTar(_ bytes: UnsafeRawBufferPointer, into output: Block) throws(FailureCause) -> Int {
    if case .unpack(let tree) = purpose { return try unsafe readTar(bytes, into: tree) }
    var used = 0
    while used < bytes.count {
      // The reader uses no more of the content than the room that is left.
      if isWanted, output.isFull { return used }
      let room = unsafe isWanted ? output.free.count : Int.max
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[used...].prefix(room))
      let (count, step): (Int, TarReader.Step)
      do throws(ArchiveFault) {
        (count, step) = try unsafe reader.step(rest)
        if case .entry(let entry) = step { try take(entry, output) }
      } catch {
        throw .archive(error)
      }
      switch step {
      case .more: break
      case .entry(let entry):
        if isWanted { try requireRoom(entry.size) }
      case .content:
        if isWanted { _ = unsafe output.append(UnsafeRawBufferPointer(rebasing: rest.prefix(count))) }
      }
      used += count
    }
    return used
  }

  /// The same into a folder, which always has room.
  private func readTar(_ bytes: UnsafeRawBufferPointer, into tree: TreeUnpacking) throws(FailureCause) -> Int
  {
    var used = 0
    while used < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[used...])
      let (count, step): (Int, TarReader.Step)
      do throws(ArchiveFault) { (count, step) = try unsafe reader.step(rest) } catch { throw .archive(error) }
      switch step {
      case .more: break
      case .entry(let entry): isWanted = try tree.take(entry) == .wanted
      case .content:
        if isWanted { try unsafe tree.write(UnsafeRawBufferPointer(rebasing: rest.prefix(count))) }
      }
      used += count
    }
    return used
  }

  private func take(_ entry: ArchiveEntry, _ output: Block) throws(ArchiveFault) {
    isWanted = false
    switch purpose {
    case .unpack: break
    case .find(var top):
      top.take(entry)
      purpose = .find(top)
    case .extract(var selection):
      // So that the value is not copied.
      purpose = .find(TopFolder())
      defer { purpose = .extract(selection) }
      switch try selection.take(entry) {
      case .other, .duplicate: break
      case .wanted:
        isWanted = true
        isExecutable = entry.isExecutable
      case .replacesWanted:
        isWanted = true
        isExecutable = entry.isExecutable
        hasTakenBack = true
        output.clear()
      }
    }
  }
}

/// A tar that is there as a whole.
final class KeptTarExtraction: KeptExtraction {
  private let extraction: TarExtraction
  private let store: ArchiveStore
  /// Bytes of the archive that were not used yet, from `place` on.
  private let block = Block()
  private var place = 0
  /// Of the next bytes to be read.
  private var offset: Int64 = 0

  init(_ extraction: TarExtraction, _ store: ArchiveStore) {
    self.extraction = extraction
    self.store = store
  }

  func takesBack() -> Bool { extraction.takesBack() }

  var isExecutable: Bool? { extraction.isExecutable }

  func read(into output: Block) throws(FailureCause) {
    while true {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: block.bytes[place...])
      let isLast = offset == store.size
      place += try unsafe extraction.unpack(rest, into: output, isLast: isLast)
      guard place == block.count, !output.isFull else { return }
      if isLast {
        _ = try extraction.finish()
        return
      }
      block.clear()
      place = 0
      _ = try unsafe block.fill { room throws(FailureCause) in
        try unsafe store.read(at: offset + Int64(block.count), into: room)
      }
      offset += Int64(block.count)
    }
  }
}

extension FailureCause {
  /// Damage that a decompressor finds inside an archive is the archive's.
  var ofArchive: FailureCause {
    switch self {
    case .corrupt(let corruption): .archive(.damagedCompression(corruption))
    case .windowTooLarge(let needed, let limit): .archive(.windowTooLarge(needed: needed, limit: limit))
    default: self
    }
  }
}
