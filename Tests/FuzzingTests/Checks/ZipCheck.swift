import Archives
import SyncModel

/// Every input is a zip or a fault; the members of a zip are inside it, and none shares a byte with another.
enum ZipCheck {
  private final class Memory: ArchiveBytes {
    let bytes: [UInt8]
    var size: Int64 { Int64(bytes.count) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
      guard offset >= 0, offset <= size, buffer.count > 0 else { throw .internalError("read at \(offset)") }
      let count = min(buffer.count, bytes.count - Int(offset))
      for index in 0..<count { buffer[index] = bytes[Int(offset) + index] }
      return count
    }
  }

  static func run(_ input: [UInt8]) throws(Violation) {
    var places: [(start: Int64, end: Int64)] = []
    do throws(FailureCause) {
      let reader = try ZipReader(Memory(input))
      while let member = try reader.next() {
        let end = member.dataOffset + member.packedSize
        guard member.dataOffset >= 30, end <= Int64(input.count), member.entry.size >= 0 else {
          throw .internalError("a member is outside")
        }
        places.append((member.dataOffset, end))
      }
    } catch {
      guard case .archive = error else { throw Violation("\(error)") }
      return
    }
    places.sort { $0.start < $1.start }
    for (first, second) in zip(places, places.dropFirst()) {
      try demand(first.end <= second.start, "\(first) and \(second) share bytes")
    }
  }
}
