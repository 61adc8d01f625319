#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The pipe with a make's tokens, one byte each.
///
/// Taking a token never waits. make and all its children share the pipe's descriptors, so these must not become
/// non-blocking, and between a poll and a read another process may take the byte. So this type opens the pipe a
/// second time for itself.
final class TokenPipe: Sendable {
  private let source: Int32
  private let sink: Int32

  /// `nil` if the pipe no longer exists, as for a rule without `+`, or cannot be opened again.
  init?(_ address: JobserverAddress) {
    switch address {
    case .fifo(let path):
      source = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      sink = source
      guard source >= 0 else { return nil }
      guard Self.pipeIdentity(source) != nil else {
        close(source)
        return nil
      }
    case .pipe(let read, let write):
      // The caller may have replaced make's file by another one.
      guard let identity = Self.pipeIdentity(read), Self.pipeIdentity(write) == identity,
        Self.access(read) != O_WRONLY, Self.access(write) != O_RDONLY
      else { return nil }
      #if canImport(Darwin)
        // Opening /dev/fd/N does not make a second file description there.
        return nil
      #else
        source = unsafe open("/proc/self/fd/\(read)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        sink = write
        guard source >= 0 else { return nil }
      #endif
    }
  }

  deinit { close(source) }

  /// A token, to be returned unchanged; `nil` if there is none now.
  func take() -> UInt8? {
    var byte: UInt8 = 0
    var count: Int
    repeat { count = unsafe read(source, &byte, 1) } while count < 0 && errno == EINTR
    return count == 1 ? byte : nil
  }

  func give(_ token: UInt8) {
    var byte = token
    // The pipe has room, since the token came from there. Without a reader make has ended, and its tokens with it.
    while unsafe write(sink, &byte, 1) < 0, errno == EINTR {}
  }

  private static func pipeIdentity(_ descriptor: Int32) -> [UInt64]? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)]
  }

  private static func access(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_GETFL) & O_ACCMODE }
}
