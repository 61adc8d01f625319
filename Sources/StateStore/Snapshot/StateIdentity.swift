import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The identity of the state file, so that a later look detects changes.
///
/// Every commit changes the counter in SQLite's header; other writes change the file's times. ``bytes(in:_:)``
/// detects a change that follows another one before the clock advances.
package struct StateIdentity: Sendable, Equatable {
  /// Size, inode, mtime and ctime, as the system's numbers.
  var numbers: [Int64]
  /// The file's first bytes, the counter among them.
  var header: [UInt8]
  /// The ctime in nanoseconds.
  var changed: Int64

  /// The resolution of timestamps on some file systems.
  static let coarsestClock: Int64 = 2_000_000_000

  init(numbers: [Int64], header: [UInt8], changed: Int64) {
    self.numbers = numbers
    self.header = header
    self.changed = changed
  }

  /// Of the state file in `folder`; `nil` if there is none, if a transaction is in progress or incomplete, and if
  /// it cannot be read.
  package init?(folder: String) {
    let file = StateFile(folder: folder)
    guard let reader = try? Descriptor(reading: file.path), let status = try? FileStatus(reader),
      status.kind == .file, !file.exists(file.journalPath),
      let header = try? reader.read(upTo: Schema.headerSize, at: 0), header.count == Schema.headerSize
    else { return nil }
    let signature = status.signature
    let changed = signature.changed.nanoseconds
    self.init(
      numbers: [
        signature.size, Int64(truncatingIfNeeded: signature.inode), signature.modified.nanoseconds, changed,
      ],
      header: header, changed: changed)
  }

  /// The sum of all bytes of the state file in `folder`; `nil` if it cannot be read.
  package static func bytes(in folder: String, _ key: ByteSum.Key) -> ByteSum.Value? {
    guard let file = try? Descriptor(reading: StateFile(folder: folder).path) else { return nil }
    return ByteSum.value(of: file, key)
  }

  /// Whether the state file could not change now without getting another ctime.
  ///
  /// `new` was made a moment ago: its own time is the present by the same clock.
  func hasSettled(beside new: borrowing Descriptor) -> Bool {
    guard let now = try? FileStatus(new).signature.changed.nanoseconds else { return false }
    let (age, overflow) = now.subtractingReportingOverflow(changed)
    return !overflow && age > Self.coarsestClock
  }
}
