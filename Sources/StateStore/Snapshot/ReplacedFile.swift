#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Replaces a file in one step; for caches, which are not synced.
enum ReplacedFile {
  /// Whether `bytes` are at `path` now; on failure the old file is unchanged.
  static func write(_ bytes: [UInt8], to path: String) -> Bool { write(to: path) { _ in bytes } }

  /// The same with the result of `bytes`, called once the new file is created; `nil` writes nothing.
  @discardableResult
  static func write(to path: String, _ bytes: (borrowing FileWriter) -> [UInt8]?) -> Bool {
    let new = unfinished(path)
    guard let file = FileWriter(path: new) else { return false }
    guard let bytes = bytes(file), file.write(bytes), unsafe rename(new, path) == 0 else {
      unsafe unlink(new)
      return false
    }
    return true
  }

  /// Removes the unfinished replacement of the file at `path`.
  static func clear(_ path: String) { unsafe unlink(unfinished(path)) }

  private static func unfinished(_ path: String) -> String { path + ".new" }
}

/// A new file; closes itself.
struct FileWriter: ~Copyable {
  private let descriptor: Int32

  /// Replaces an unfinished file of an earlier try; `nil` if the system refuses.
  init?(path: String) {
    // Not emptied but removed: it may be another name of some file.
    unsafe unlink(path)
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Whether a file whose ctime is `changed` could not change now without getting another one.
  ///
  /// This file was made a moment ago: its own time is the present by the same clock.
  borrowing func hasSettled(since changed: Int64) -> Bool {
    var info = stat()
    guard unsafe fstat(descriptor, &info) == 0 else { return false }
    let (now, overflow) = info.nanoseconds.changed.subtractingReportingOverflow(changed)
    return !overflow && now > StateIdentity.coarsestClock
  }

  borrowing func write(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count = unsafe systemWrite(descriptor, rest)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
