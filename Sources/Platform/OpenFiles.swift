package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How many files this process may open.
package enum OpenFiles {
  /// With at least this limit a run has enough descriptors, whatever was open when it began.
  private static let plenty = 64

  #if canImport(Darwin)
    /// libcurl waits by select(2) there, which knows no descriptor from `FD_SETSIZE` on.
    private static let (enough, whereEnough) = (1024, 900)
  #else
    /// This number of open files is enough for any command.
    private static let (enough, whereEnough) = (10_000, 60_000)
  #endif

  /// The number of files that targets may have open; large if there is no relevant limit.
  ///
  /// Files that the caller left open count. The run itself adds about twenty (folders, lock, state, pipes, libcurl's
  /// files). A shell's limit is usually a thousand, on macOS 256, for programs that cannot handle more. Other programs
  /// may raise it to the hard limit (setrlimit(2)). With `mayRaise` this is done, because otherwise waiting for the disk
  /// delays requests.
  package static func free(mayRaise: Bool) -> Int {
    guard var limit, limit.rlim_cur < rlim_t(enough) else { return whereEnough }
    let open = (0..<Int32(limit.rlim_cur)).count { fcntl($0, F_GETFD) >= 0 }
    if mayRaise {
      var raised = limit
      raised.rlim_cur = min(limit.rlim_max, rlim_t(enough))
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(limit.rlim_cur) - open - 20
  }

  #if canImport(Darwin)
    private static var resource: Int32 { RLIMIT_NOFILE }
  #else
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #endif

  /// `nil` if it cannot be read.
  private static var limit: rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(resource, &limit) == 0 ? limit : nil
  }

  /// Throws `tooFewDescriptors` unless `count` more can be open at once.
  ///
  /// Without room libraries cannot be loaded and hosts not be found, which then look broken.
  package static func require(_ count: Int) throws(FailureCause) {
    guard let limit, limit.rlim_cur < rlim_t(plenty) else { return }
    var opened: [Int32] = []
    defer { for file in opened { close(file) } }
    while opened.count < count {
      let file = unsafe open("/", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { throw .tooFewDescriptors }
      opened.append(file)
    }
  }
}
