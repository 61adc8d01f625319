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
  private static let timeOffset = 48
  /// More than any path takes.
  private static let longestPath = 4097

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
    // No more than the records can be named by; a longer file was not written by us.
    let longest = fixed + snapshot.records.count * longestPath
    guard let bytes = read(in: folder, upTo: longest), bytes.count >= fixed, bytes.starts(with: magic) else {
      return
    }
    let key = ByteSum.Key(words: (word(bytes, 24), word(bytes, 32)))
    guard sum(bytes, key).lanes == (word(bytes, 8), word(bytes, 16)), let counter = self.counter(folder),
      // A state that was put back has not seen that check.
      Int64(bitPattern: word(bytes, 40)) <= counter
    else { return }
    let checkedAt = Timestamp(nanoseconds: Int64(bitPattern: word(bytes, timeOffset)))
    var places: [ArraySlice<UInt8>: Int] = [:]
    for (index, record) in snapshot.records.enumerated()
    where record.checkedAt < checkedAt && record.updatedAt <= checkedAt {
      places[ArraySlice(record.output.text.utf8)] = index
    }
    var rest = bytes[fixed...]
    while let end = rest.firstIndex(of: 0), !places.isEmpty {
      if let index = places[rest[..<end]] { snapshot.records[index].checkedAt = checkedAt }
      rest = rest[(end + 1)...]
    }
  }

  /// Removes a note that speaks of a time to come: the clock was wrong then, and every check since would seem to be
  /// older. The caller holds the run lock.
  package static func forget(after now: Timestamp, in folder: String) {
    guard let file = FileReader(path: "\(folder)/\(name)"), let bytes = file.read(upTo: fixed, at: 0),
      bytes.count == fixed,
      Timestamp(nanoseconds: Int64(bitPattern: word(bytes, timeOffset))) > now
    else { return }
    unlink("\(folder)/\(name)")
  }

  private static func read(in folder: String, upTo longest: Int) -> [UInt8]? {
    guard let file = FileReader(path: "\(folder)/\(name)"), let status = file.status,
      status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) <= longest
    else { return nil }
    return file.read(upTo: Int(status.st_size), at: 0)
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
