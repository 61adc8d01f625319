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
  /// Its content: as words of eight bytes the state's counter and the time, then the outputs.
  private static let form = SealedForm("syncchk2")
  private static let timeOffset = SealedForm.contentOffset + 8
  private static let fixed = timeOffset + 8
  /// More than any path takes.
  private static let longestPath = 4097

  /// Replaces the file in `folder` in one step; the caller holds the run lock. Nothing is synced.
  ///
  /// - `outputs`: their paths, each followed by a zero byte.
  /// - Returns whether it was written; otherwise nothing has changed.
  package static func write(_ outputs: [UInt8], checkedAt: Timestamp, in folder: String) -> Bool {
    guard let counter = StateFile(folder: folder).counter else { return false }
    var out = form.writer(.random(), reserving: fixed + outputs.count)
    out.add(counter)
    out.add(checkedAt.nanoseconds)
    out.bytes += outputs
    return AtomicFile.replace("\(folder)/\(name)", with: SealedForm.sealed(out))
  }

  /// Gives records that were checked later than they say the time of that check.
  static func apply(to snapshot: inout StateSnapshot, in folder: String) {
    // No more than the records can be named by; a longer file was not written by us.
    let longest = fixed + snapshot.records.count * longestPath
    guard let bytes = read(in: folder, upTo: longest), form.isIntact(bytes),
      let (seen, checkedAt) = times(bytes), let counter = StateFile(folder: folder).counter,
      // A state that was put back has not seen that check.
      seen <= counter
    else { return }
    var places: [ArraySlice<UInt8>: Int] = [:]
    for (index, record) in snapshot.records.enumerated()
    where record.checkedAt.map({ $0 < checkedAt }) == true && record.updatedAt <= checkedAt {
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
      form.key(of: bytes) != nil, let (_, checkedAt) = times(bytes), checkedAt > now
    else { return }
    unsafe unlink("\(folder)/\(name)")
  }

  private static func read(in folder: String, upTo longest: Int) -> [UInt8]? {
    guard let file = try? Descriptor(reading: "\(folder)/\(name)"), let size = try? file.regularSize,
      size <= longest
    else { return nil }
    return try? file.read(upTo: size, at: 0)
  }

  /// The state's counter at that check, and its time.
  private static func times(_ bytes: [UInt8]) -> (counter: Int64, checkedAt: Timestamp)? {
    unsafe bytes.withUnsafeBytes { bytes in
      var reader = unsafe BinaryReader(bytes, at: SealedForm.contentOffset)
      guard let counter = try? reader.number(Int64.self), let time = try? reader.number(Int64.self) else {
        return nil
      }
      return (counter, Timestamp(nanoseconds: time))
    }
  }
}
