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

  /// Throws `tooFewDescriptors` unless `count` more can be open at once.
  ///
  /// Without room libraries cannot be loaded and hosts not be found, which then look broken.
  package static func require(_ count: Int) throws(FailureCause) {
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(plenty) else { return }
    var opened: [Int32] = []
    defer { for file in opened { close(file) } }
    while opened.count < count {
      let file = unsafe open("/", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { throw .tooFewDescriptors }
      opened.append(file)
    }
  }
}
