import Archives
import SyncModel
import Testing

/// An entry with its content, as a test compares it.
struct Listed: Equatable, CustomStringConvertible {
  var name: String
  var kind: ArchiveEntry.Kind
  var content: [UInt8] = []

  init(_ name: String, _ kind: ArchiveEntry.Kind = .file, _ content: String = "") {
    self.name = name
    self.kind = kind
    self.content = Array(content.utf8)
  }

  var description: String { "\(name) \(kind) \(content.count)" }
}

/// Everything in a tar.
enum TarListing {
  /// Reads `bytes` in pieces of `piece` bytes.
  static func read(_ bytes: [UInt8], piece: Int = .max) throws -> [Listed] {
    var reader = TarReader()
    var found: [Listed] = []
    var place = 0
    while place < bytes.count {
      let end = piece < bytes.count - place ? place + piece : bytes.count
      try bytes[place..<end].withUnsafeBytes { bytes in
        var used = 0
        while used < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
          let (count, step) = try reader.step(rest)
          try #require(count > 0)
          switch step {
          case .more: break
          case .entry(let entry): found.append(Listed(entry.shownName, entry.kind))
          case .content: found[found.count - 1].content += rest.prefix(count)
          }
          used += count
        }
      }
      place = end
    }
    try reader.finish()
    return found
  }

  /// The fault of `bytes`; `nil` for none.
  static func fault(_ bytes: [UInt8]) throws -> ArchiveFault? {
    do {
      _ = try read(bytes)
      return nil
    } catch let fault as ArchiveFault {
      return fault
    }
  }
}

/// An archive in memory.
final class MemoryArchive: ArchiveBytes {
  let bytes: [UInt8]
  private let piece: Int
  var size: Int64 { Int64(bytes.count) }

  /// Reads at most `piece` bytes at a time: usually a few, as a file system may.
  init(_ bytes: [UInt8], piece: Int = 1_000) {
    self.bytes = bytes
    self.piece = piece
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FailureCause) -> Int {
    let count = max(0, min(buffer.count, bytes.count - Int(offset), piece))
    for index in 0..<count { buffer[index] = bytes[Int(offset) + index] }
    return count
  }
}
