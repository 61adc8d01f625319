import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes to a reader that may stop reading.
enum StreamWrite {
  private struct State: Sendable {
    var count = 0
    var isUnderWay = false
  }

  private static let state = Monitor(State())
  /// In bytes, for each call: one that a pipe takes bit by bit returns only when it has all.
  private static let piece = 64 << 10

  /// Identifies the write in progress; `nil` if there is none; callable from any thread.
  ///
  /// As long as the value is the same, the reader has taken nothing.
  static var underWay: Int? { state.withLock { $0.isUnderWay ? $0.count : nil } }

  /// Writes all of `text`, however long its reader takes; returns 0, or the system's error number.
  static func all(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      defer { state.withLock { $0.isUnderWay = false } }
      while unsafe !rest.isEmpty {
        state.withLock { state in
          state.count += 1
          state.isUnderWay = true
        }
        let written = unsafe write(descriptor, rest.baseAddress, min(rest.count, piece))
        if written > 0 {
          unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        } else if errno == EAGAIN {
          var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = unsafe poll(&entry, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }
}
