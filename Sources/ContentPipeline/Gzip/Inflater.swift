import CLibz
import SyncModel

/// Unpacks gzip data, member after member (RFC 1952), from pieces of any size.
package final class Inflater {
  /// What `gzipCorrupt` says of data that stops too early, as a cut-off transfer does.
  package static let endsInsideMember = "ends inside a member"
  static let notGzip = "not gzip data"
  static let dataAfterEnd = "unexpected data after the last member"
  static let empty = "no data, not even a gzip header"

  private enum Place: Equatable {
    /// Nothing has come yet.
    case start
    /// `read` counts this member's packed bytes; `isFirst` tells what a wrong header means.
    case member(isFirst: Bool, read: Int64)
    /// A member has ended; another one, zeros or nothing may follow.
    case afterMember
    case padding
  }

  // zlib remembers the stream's address, hence the pointer.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isReady = false
  private var place = Place.start
  /// Packed bytes read.
  private var offset: Int64 = 0

  /// At the start of the data.
  package init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deallocate()
  }

  /// Forgets everything and stands at the start again.
  package func restart() {
    place = .start
    offset = 0
  }

  /// Unpacks until `input` is used up or `output` is full; returns how much of `input` was used.
  ///
  /// A full `output` means that there may be more, even without more input: call again with another block and
  /// the rest of the input, until there is room left. Throws `gzipCorrupt`, or `internalError` when memory is
  /// short.
  func unpack(_ input: UnsafeRawBufferPointer, into output: Block) throws(FailureCause) -> Int {
    var used = 0
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: input[used...])
      switch place {
      case .start, .afterMember:
        guard let first = rest.first else { return used }
        try begin(with: first)
      case .padding:
        try skipZeros(rest)
        return input.count
      case .member(let isFirst, let read):
        guard !output.isFull else { return used }
        let step = try inflateStep(rest, into: output, isFirst: isFirst, read: read)
        used += step
        // No progress and still inside: zlib has nothing more to give for what it got.
        if case .member = place, used == input.count, !output.isFull { return used }
      }
    }
  }

  /// The input is over. Throws `gzipCorrupt` unless it was at least one member, whole.
  package func finish() throws(FailureCause) {
    switch place {
    case .start: throw corrupt(Inflater.empty)
    case .member: throw corrupt(Inflater.endsInsideMember)
    case .afterMember, .padding: break
    }
  }

  private func begin(with byte: UInt8) throws(FailureCause) {
    let isFirst = place == .start
    if byte == 0x1f {
      try prepare()
      place = .member(isFirst: isFirst, read: 0)
    } else if byte == 0, !isFirst {
      place = .padding
    } else {
      throw corrupt(isFirst ? Inflater.notGzip : Inflater.dataAfterEnd)
    }
  }

  private func prepare() throws(FailureCause) {
    // 15 bits of window; 16 more say: a gzip header and nothing else.
    let windowBits: Int32 = 15 + 16
    let status =
      isReady
      ? inflateReset2(stream, windowBits)
      : inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw .internalError("zlib: inflate could not start (\(status))") }
    isReady = true
  }

  private func inflateStep(
    _ input: UnsafeRawBufferPointer, into output: Block, isFirst: Bool, read: Int64
  ) throws(FailureCause) -> Int {
    let piece = min(input.count, 1 << 30)
    let room = output.free
    // zlib declares its input mutable but does not write to it.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
    stream.pointee.avail_in = uInt(piece)
    stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.pointee.avail_out = uInt(room.count)
    let status = inflate(stream, Z_NO_FLUSH)
    let used = piece - Int(stream.pointee.avail_in)
    output.grow(by: room.count - Int(stream.pointee.avail_out))
    offset += Int64(used)
    place = .member(isFirst: isFirst, read: read + Int64(used))
    switch status {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: place = .afterMember
    case Z_DATA_ERROR, Z_NEED_DICT: throw corrupt(fault(isFirst: isFirst, read: read + Int64(used)))
    default: throw .internalError("zlib: inflate failed (\(status))")
    }
    return used
  }

  /// Two wrong bytes at a member's start are no member at all; later zlib knows best.
  private func fault(isFirst: Bool, read: Int64) -> String {
    if read <= 2 { return isFirst ? Inflater.notGzip : Inflater.dataAfterEnd }
    guard let message = stream.pointee.msg else { return "invalid data" }
    return String(cString: message)
  }

  private func skipZeros(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
    guard let wrong = bytes.firstIndex(where: { $0 != 0 }) else {
      offset += Int64(bytes.count)
      return
    }
    offset += Int64(wrong)
    throw corrupt(Inflater.dataAfterEnd)
  }

  private func corrupt(_ text: String) -> FailureCause { .gzipCorrupt(offset: offset, text: text) }
}
