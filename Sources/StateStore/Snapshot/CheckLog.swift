import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file `checked` in the state folder: the time at which the sources of many outputs last confirmed them, all
/// at once.
///
/// A run whose only result is this time (docs/decisions/0010) writes this file instead of thousands of records that
/// would differ only in their time. If it is lost, an `interval` causes one request more than necessary. It is
/// valid for the state beside which it was written, or a later one, but not for outputs that were found locally
/// since: their sources were never asked, whatever was there before.
package enum CheckLog {
  static let name = "checked"
  /// Then follow, as words of eight bytes: the sum of the rest, two; its key, two; the state's counter; the time.
  private static let magic = Array("syncchk1".utf8)
  private static let fixed = 56
  private static let sumOffset = 8
  private static let summed = 40
  private static let timeOffset = 48
  /// More than any path takes.
  private static let longestPath = 4097

  /// Replaces the file in `folder` in one step; the caller holds the run lock. Nothing is synced.
  ///
  /// - `outputs`: their paths, each followed by a zero byte.
  /// - Returns whether it was written; otherwise nothing has changed.
  package static func write(_ outputs: [UInt8], checkedAt: Timestamp, in folder: String) -> Bool {
    guard let counter = counter(folder) else { return false }
    let key = ByteSum.Key.random()
    var out = BinaryWriter(bytes: magic)
    out.bytes.reserveCapacity(fixed + outputs.count)
    for word in [0, 0, key.words.0, key.words.1] { out.add(word) }
    for word in [counter, checkedAt.nanoseconds] { out.add(UInt64(bitPattern: word)) }
    out.bytes += outputs
    let sum = sum(out.bytes, key)
    out.set(sum.lanes.0, at: sumOffset)
    out.set(sum.lanes.1, at: sumOffset + 8)
    return AtomicFile.replace("\(folder)/\(name)", with: out.bytes)
  }

  /// Gives records that were checked later than they say the time of that check.
  static func apply(to snapshot: inout StateSnapshot, in folder: String) {
    // No more than the records can be named by; a longer file was not written by us.
    let longest = fixed + snapshot.records.count * longestPath
    guard let bytes = read(in: folder, upTo: longest), bytes.count >= fixed, bytes.starts(with: magic) else {
      return
    }
    func word(_ offset: Int) -> UInt64 { BinaryWriter.word(bytes, offset) }
    let key = ByteSum.Key(words: (word(24), word(32)))
    guard sum(bytes, key).lanes == (word(sumOffset), word(sumOffset + 8)), let counter = self.counter(folder),
      // A state that was put back has not seen that check.
      Int64(bitPattern: word(summed)) <= counter
    else { return }
    let checkedAt = Timestamp(nanoseconds: Int64(bitPattern: word(timeOffset)))
    var places: [ArraySlice<UInt8>: Int] = [:]
    for (index, record) in snapshot.records.enumerated()
    where record.checkedAt < checkedAt && record.updatedAt <= checkedAt
      && record.checkedAt != TargetRecord.neverChecked
    {
      places[ArraySlice(record.output.text.utf8)] = index
    }
    var rest = bytes[fixed...]
    while let end = rest.firstIndex(of: 0), !places.isEmpty {
      if let index = places[rest[..<end]] {
        snapshot.records[index].checkedAt = checkedAt
        snapshot.noted.insert(snapshot.records[index].output)
      }
      rest = rest[(end + 1)...]
    }
  }

  /// Removes a file with a time in the future: the clock was wrong then, and every check since would seem to be
  /// older. The caller holds the run lock and has read the state.
  package static func forget(after now: Timestamp, in folder: String) {
    guard let file = try? Descriptor(reading: "\(folder)/\(name)"),
      let bytes = try? file.read(upTo: fixed, at: 0),
      bytes.count == fixed,
      Timestamp(nanoseconds: Int64(bitPattern: BinaryWriter.word(bytes, timeOffset))) > now
    else { return }
    unsafe unlink("\(folder)/\(name)")
  }

  private static func read(in folder: String, upTo longest: Int) -> [UInt8]? {
    guard let file = try? Descriptor(reading: "\(folder)/\(name)"), let size = file.regularSize,
      size <= longest
    else { return nil }
    return try? file.read(upTo: size, at: 0)
  }

  /// SQLite's change counter in the header; `nil` if there is no state file.
  private static func counter(_ folder: String) -> Int64? {
    guard let file = try? Descriptor(reading: StateFile(folder: folder).path),
      let header = try? file.read(upTo: Schema.headerSize, at: 0), header.count == Schema.headerSize
    else { return nil }
    return Schema.number(in: header, at: 24)
  }

  private static func sum(_ bytes: [UInt8], _ key: ByteSum.Key) -> ByteSum.Value {
    unsafe bytes.withUnsafeBytes { unsafe ByteSum.of(UnsafeRawBufferPointer(rebasing: $0[summed...]), key) }
  }
}
