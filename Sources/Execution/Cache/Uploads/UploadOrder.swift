import LocalFiles
import Planning
import SyncModel

/// A body that a cache on a server is to get, with what is known of it.
struct UploadOrder: Sendable {
  /// The digest of the bytes as they came, which is their name.
  var sha256: HexDigest
  /// In bytes.
  var size: Int64
  /// Where the bytes wait.
  var folder: CacheFolder
  /// Whether nobody needs them there afterwards.
  var isSpooled: Bool
  /// The records.
  var values: [CacheValue]
  /// Whether the server probably has the bytes, and needs a record only.
  var isRenewal = false
  /// Whether the server has other bytes under this name, and gets the right ones.
  var replaces = false

  /// With the records that count where `trust` holds.
  init(
    _ entry: CacheEntry, in folder: CacheFolder, isSpooled: Bool, signedBy signer: CacheSigner?,
    _ trust: RecordTrust
  ) {
    sha256 = entry.record.sha256
    size = entry.record.size
    self.folder = folder
    self.isSpooled = isSpooled
    values = entry.values(signedBy: signer)
    // Nobody would believe it there, and it would take the place of one that is signed.
    if case .signed = trust { values.removeAll { $0.unsigned != nil } }
  }
}

/// The bytes of a file of a cache, for a request.
final class StoredBody: RequestBody, @unchecked Sendable {
  private let file: ReadableFile
  private var place: Int64 = 0

  init(_ file: ReadableFile) { self.file = file }

  var size: Int64 { file.signature.size }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let count = try? unsafe file.read(at: place, into: buffer) else { return nil }
    place += Int64(count)
    return count
  }

  func rewind() { place = 0 }
}

/// The bytes of a record, for a request.
final class ValueBody: RequestBody, @unchecked Sendable {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var size: Int64 { Int64(bytes.count) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let count = min(buffer.count, bytes.count - place)
    unsafe buffer.copyBytes(from: bytes[place..<place + count])
    place += count
    return count
  }

  func rewind() { place = 0 }
}
