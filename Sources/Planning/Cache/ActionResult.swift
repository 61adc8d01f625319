import SyncModel

/// The message in which a cache of Bazel's protocol keeps a ``CacheRecord`` (Remote Execution API, version 2).
///
/// Only the fields that servers look at are written: the digest of the file, which they keep as long as the record;
/// the record; and a worker, since some servers write their own into a message that has none.
package enum ActionResult {
  // The numbers of the fields.
  private static let (outputFiles, stdoutRaw, executionMetadata) = (2, 5, 9)
  private static let (path, digest) = (1, 2)
  private static let (hash, sizeBytes) = (1, 2)
  private static let worker = 1

  /// The message with `record`, to be kept at `key`; signed, if `signing` is given and can do it.
  package static func bytes(
    of record: CacheRecord, at key: CacheKey, _ signing: CacheRecord.Signing? = nil
  ) -> [UInt8] {
    var digestMessage = ProtobufWriter()
    digestMessage.field(hash, Array(record.sha256.text.utf8))
    digestMessage.field(sizeBytes, UInt64(record.size))
    var file = ProtobufWriter()
    file.field(path, Array("download".utf8))
    file.field(digest, digestMessage.bytes)
    var metadata = ProtobufWriter()
    metadata.field(worker, Array("syncmake".utf8))
    var message = ProtobufWriter()
    message.field(outputFiles, file.bytes)
    message.field(stdoutRaw, Array(record.json(at: key, signing).utf8))
    message.field(executionMetadata, metadata.bytes)
    return message.bytes
  }

  /// The JSON in the message; `nil` if it has none.
  static func json(in bytes: [UInt8]) -> [UInt8]? {
    ProtobufReader.fields(of: bytes[...])?.bytes(stdoutRaw).map { Array($0) }
  }

  /// The record in the message that is kept at `key`, `nil` if that is not known.
  ///
  /// `nil` if it has none, is damaged or another key's, or names another file than its record.
  package static func record(in bytes: [UInt8], at key: CacheKey?) -> CacheRecord? {
    guard bytes.count <= 2 * CacheRecord.longest, let fields = ProtobufReader.fields(of: bytes[...]) else {
      return nil
    }
    guard let json = fields.bytes(stdoutRaw), let record = CacheRecord(json: Array(json), at: key),
      let file = fields.bytes(outputFiles).flatMap({ ProtobufReader.fields(of: $0) }),
      let digest = file.bytes(digest).flatMap({ ProtobufReader.fields(of: $0) }),
      digest.bytes(hash)?.elementsEqual(record.sha256.text.utf8) == true,
      digest.number(sizeBytes) ?? 0 == UInt64(record.size)
    else { return nil }
    return record
  }
}

/// Writes the wire format of protocol buffers, as far as ``ActionResult`` needs it.
private struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func field(_ number: Int, _ value: [UInt8]) {
    varint(UInt64(number << 3 | 2))
    varint(UInt64(value.count))
    bytes += value
  }

  /// Zero is the default, which is left out.
  mutating func field(_ number: Int, _ value: UInt64) {
    guard value != 0 else { return }
    varint(UInt64(number << 3))
    varint(value)
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Reads the wire format of protocol buffers: one message, not those in it.
private enum ProtobufReader {
  struct Fields {
    fileprivate var numbers: [Int: UInt64] = [:]
    fileprivate var texts: [Int: ArraySlice<UInt8>] = [:]

    func number(_ field: Int) -> UInt64? { numbers[field] }
    func bytes(_ field: Int) -> ArraySlice<UInt8>? { texts[field] }
  }

  /// The last value of each field, as the format demands; `nil` if the bytes are no message.
  static func fields(of bytes: ArraySlice<UInt8>) -> Fields? {
    var (fields, rest) = (Fields(), bytes)
    while !rest.isEmpty {
      guard let key = varint(&rest), key >> 3 > 0, key >> 3 < 1 << 29 else { return nil }
      let number = Int(key >> 3)
      switch key & 7 {
      case 0:
        guard let value = varint(&rest) else { return nil }
        fields.numbers[number] = value
      case 2:
        guard let count = varint(&rest), count <= UInt64(rest.count) else { return nil }
        fields.texts[number] = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
      case 1, 5:
        let count = key & 7 == 1 ? 8 : 4
        guard rest.count >= count else { return nil }
        rest = rest.dropFirst(count)
      default: return nil
      }
    }
    return fields
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while let byte = rest.popFirst() {
      // The tenth byte has room for one bit.
      guard shift < 63 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
      guard shift < 70 else { return nil }
    }
    return nil
  }
}
