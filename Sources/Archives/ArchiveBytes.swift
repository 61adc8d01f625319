package import SyncModel

/// The bytes of a whole archive, of which any part can be read.
package protocol ArchiveBytes: AnyObject {
  /// In bytes.
  var size: Int64 { get }

  /// Reads at `offset` into `buffer`, which is not empty; returns how many bytes came, 0 only at the end.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int
}

/// A part of an archive in memory, so that small neighbours are read with one call.
struct ByteWindow {
  /// In bytes.
  private static let length = 64 << 10

  private let file: any ArchiveBytes
  private var start: Int64 = 0
  private var held: [UInt8] = []

  init(_ file: any ArchiveBytes) { self.file = file }

  /// The bytes at `offset`; `nil` if the archive has fewer than `count` there.
  mutating func bytes(at offset: Int64, _ count: Int) throws(FailureCause) -> LittleEndianBytes? {
    guard offset >= 0, offset <= file.size, Int64(count) <= file.size - offset else { return nil }
    if offset < start || offset + Int64(count) > start + Int64(held.count) {
      held = try file.bytes(at: offset, max(count, Self.length))
      start = offset
    }
    let first = Int(offset - start)
    guard held.count - first >= count else { return nil }
    return LittleEndianBytes(bytes: held[first..<first + count])
  }
}

extension ArchiveBytes {
  /// Up to `count` bytes at `offset`; fewer only where the archive ends.
  package func bytes(at offset: Int64, _ count: Int) throws(FailureCause) -> [UInt8] {
    var failure: FailureCause?
    let room = max(0, min(count, Int(clamping: size - offset)))
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
      do throws(FailureCause) {
        while filled < room {
          let rest = unsafe UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let more = try unsafe read(at: offset + Int64(filled), into: rest)
          if more == 0 { break }
          filled += more
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// Bytes in which numbers are written with their lowest byte first.
struct LittleEndianBytes {
  var bytes: ArraySlice<UInt8>

  var count: Int { bytes.count }

  /// The number of `size` bytes at `place`; all of it must be there.
  func number(at place: Int, _ size: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in (0..<size).reversed() {
      value = value << 8 | UInt64(bytes[bytes.startIndex + place + index])
    }
    return value
  }

  func uint16(at place: Int) -> UInt16 { UInt16(truncatingIfNeeded: number(at: place, 2)) }
  func uint32(at place: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(at: place, 4)) }
  func uint64(at place: Int) -> UInt64 { number(at: place, 8) }

  /// The part of `count` bytes at `place`.
  func part(_ place: Int, _ count: Int) -> LittleEndianBytes {
    let start = bytes.startIndex + place
    return LittleEndianBytes(bytes: bytes[start..<start + count])
  }
}
