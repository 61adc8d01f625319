import CLibz
import SyncModel

/// The end of a member, and its trailer's sums (RFC 1952 section 2.3.1).
struct MemberEnd: Equatable {
  /// How many bytes of the block come before it.
  var place: Int
  /// The last eight bytes of the member as a little-endian number: the CRC-32 below, the size modulo 2^32 above.
  var trailer: UInt64
  /// Behind the trailer, in packed bytes.
  var offset: Int64
}

/// Compares decompressed bytes with the sums in their members' trailers.
///
/// zlib would do this while it inflates, for a tenth of its time; this type can run on another thread.
struct GzipTrailerCheck {
  private var crc: UInt32 = 0
  /// Modulo 2^32, as trailers have it.
  private var size: UInt32 = 0

  mutating func restart() { self = GzipTrailerCheck() }

  /// Takes the next decompressed bytes. Throws `corrupt` for the first member that they do not match.
  mutating func take(_ block: Block) throws(FailureCause) {
    guard block.isUnproven else { return }
    var start = 0
    for end in block.memberEnds {
      unsafe add(block.bytes[start..<end.place])
      guard crc == UInt32(truncatingIfNeeded: end.trailer) else {
        throw .corrupt(Corruption(.gzip, offset: end.offset - 4, text: "incorrect data check"))
      }
      guard size == UInt32(end.trailer >> 32) else {
        throw .corrupt(Corruption(.gzip, offset: end.offset, text: "incorrect length check"))
      }
      restart()
      start = end.place
    }
    unsafe add(block.bytes[start...])
  }

  private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
    guard unsafe !bytes.isEmpty else { return }
    let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes)
    // A block is far below what zlib counts in.
    let sum = unsafe crc32(
      uLong(crc), piece.baseAddress?.assumingMemoryBound(to: Bytef.self), uInt(piece.count))
    crc = UInt32(truncatingIfNeeded: sum)
    size &+= UInt32(piece.count)
  }
}
