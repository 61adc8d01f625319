#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The pipe that holds a make's tokens, one byte each.
///
/// Taking one never waits: make and all it runs share the pipe's descriptors, so that these must not be made
/// non-blocking, and between asking whether there is a byte and reading it another may have taken it. A second
/// opening of the same pipe is ours alone.
final class TokenPipe: Sendable {
  private let source: Int32
  private let sink: Int32

  /// `nil` where there is no such pipe any more, as for a rule without `+`, or it cannot be opened anew.
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
      // Whoever started us may have put another file in the place of make's.
      guard let identity = Self.pipeIdentity(read), Self.pipeIdentity(write) == identity,
        Self.access(read) != O_WRONLY, Self.access(write) != O_RDONLY
      else { return nil }
      #if canImport(Darwin)
        // Opening /dev/fd/N there is no second opening.
        return nil
      #else
        source = unsafe open("/proc/self/fd/\(read)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        sink = write
        guard source >= 0 else { return nil }
      #endif
    }
  }

  deinit { close(source) }

  /// A token, to be given back as it is; `nil` where there is none now.
  func take() -> UInt8? {
    var byte: UInt8 = 0
    var count: Int
    repeat { count = unsafe read(source, &byte, 1) } while count < 0 && errno == EINTR
    return count == 1 ? byte : nil
  }

  func give(_ token: UInt8) {
    var byte = token
    // There is room: it came from there. Without a reader make is gone, and its tokens with it.
    while unsafe write(sink, &byte, 1) < 0, errno == EINTR {}
  }

  private static func pipeIdentity(_ descriptor: Int32) -> [UInt64]? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)]
  }

  private static func access(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_GETFL) & O_ACCMODE }
}
