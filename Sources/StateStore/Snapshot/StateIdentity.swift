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
    guard let reader = FileReader(path: file.path), let status = reader.status,
      status.st_mode & S_IFMT == S_IFREG, !file.exists(file.journalPath),
      let header = reader.read(upTo: Schema.headerSize, at: 0), header.count == Schema.headerSize
    else { return nil }
    let (modified, changed) = status.nanoseconds
    self.init(
      numbers: [Int64(status.st_size), Int64(truncatingIfNeeded: status.st_ino), modified, changed],
      header: header, changed: changed)
  }

  /// The sum of all bytes of the state file in `folder`; `nil` if it cannot be read.
  package static func bytes(in folder: String, _ key: ByteSum.Key) -> ByteSum.Value? {
    FileReader(path: StateFile(folder: folder).path)?.sum(key)
  }
}

extension stat {
  /// mtime and ctime; wrapped around if they do not fit, since they are only compared.
  var nanoseconds: (modified: Int64, changed: Int64) {
    #if canImport(Darwin)
      let (modified, changed) = (st_mtimespec, st_ctimespec)
    #else
      let (modified, changed) = (st_mtim, st_ctim)
    #endif
    return (
      Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec),
      Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec)
    )
  }
}

extension FileReader {
  /// The sum of all bytes, read in pieces; `nil` on failure.
  borrowing func sum(_ key: ByteSum.Key) -> ByteSum.Value? {
    var sum = ByteSum(key)
    var offset = 0
    while true {
      guard let piece = read(upTo: 256 << 10, at: offset) else { return nil }
      unsafe piece.withUnsafeBytes { unsafe sum.update($0) }
      offset += piece.count
      if piece.count < 256 << 10 { return sum.value }
    }
  }
}
