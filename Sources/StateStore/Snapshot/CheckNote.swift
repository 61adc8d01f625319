import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file `checked` in the state folder: when the sources of many outputs last confirmed them, all at one moment.
///
/// A run that learns nothing but that (docs/decisions/0010) writes this file instead of thousands of records that
/// would differ in their time only. It is a cache of a cache: lost, it costs a question that an `interval` would
/// have saved. It holds only for the state that it was written beside, or a later one.
package enum CheckNote {
  static let name = "checked"
  /// Then come, as words of eight bytes, the sum of all behind it, two; its key, two; the state's counter; the time.
  private static let magic = Array("syncchk1".utf8)
  private static let fixed = 56
  private static let summed = 40
  private static let longest: Int64 = 1 << 30

  /// Replaces the note in `folder` in one step; the caller holds the run lock. Nothing is synced.
  ///
  /// - `outputs`: their paths, each with a zero byte behind it.
  /// - Returns whether it was written; where it was not, nothing has changed.
  package static func write(_ outputs: [UInt8], checkedAt: Timestamp, in folder: String) -> Bool {
    guard let counter = counter(folder) else { return false }
    let key = ByteSum.Key.random()
    var bytes = magic
    bytes.reserveCapacity(fixed + outputs.count)
    bytes += repeatElement(0, count: 16)
    for word in [
      key.words.0, key.words.1, UInt64(bitPattern: counter), UInt64(bitPattern: checkedAt.nanoseconds),
    ] {
      append(word, to: &bytes)
    }
    bytes += outputs
    let sum = sum(bytes, key)
    var words: [UInt8] = []
    for word in [sum.lanes.0, sum.lanes.1] { append(word, to: &words) }
    bytes.replaceSubrange(8..<24, with: words)
    return ReplacedFile.write(bytes, to: "\(folder)/\(name)")
  }

  /// Gives records that were checked later than they say the time of that check.
  static func apply(to snapshot: inout StateSnapshot, in folder: String) {
    guard let file = FileReader(path: "\(folder)/\(name)"), let status = file.status,
      status.st_size >= Int64(fixed), status.st_size <= longest, let bytes = file.readAll(),
      bytes.count >= fixed, bytes.starts(with: magic)
    else { return }
    let key = ByteSum.Key(words: (word(bytes, 24), word(bytes, 32)))
    guard sum(bytes, key).lanes == (word(bytes, 8), word(bytes, 16)), let counter = self.counter(folder),
      // A state that was put back has not seen that check.
      Int64(bitPattern: word(bytes, 40)) <= counter
    else { return }
    let checkedAt = Timestamp(nanoseconds: Int64(bitPattern: word(bytes, 48)))
    let outputs = Set(bytes[fixed...].split(separator: 0))
    for index in snapshot.records.indices {
      let record = snapshot.records[index]
      guard record.checkedAt < checkedAt, record.updatedAt <= checkedAt,
        outputs.contains(ArraySlice(record.output.text.utf8))
      else { continue }
      snapshot.records[index].checkedAt = checkedAt
    }
  }

  /// What SQLite counts in the header with every commit; `nil` where there is no state file.
  private static func counter(_ folder: String) -> Int64? {
    guard let file = FileReader(path: StateFile(folder: folder).path),
      let header = file.read(upTo: Schema.headerSize, at: 0), header.count == Schema.headerSize
    else { return nil }
    return Schema.number(in: header, at: 24)
  }

  private static func sum(_ bytes: [UInt8], _ key: ByteSum.Key) -> ByteSum.Value {
    bytes.withUnsafeBytes { ByteSum.of(UnsafeRawBufferPointer(rebasing: $0[summed...]), key) }
  }

  private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
