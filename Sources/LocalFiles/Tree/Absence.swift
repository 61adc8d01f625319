import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SystemError {
  /// Whether it says that nothing is at a path, or something else than what was looked for.
  ///
  /// Any other error, as a lack of descriptors, says nothing about what is there.
  var isAbsence: Bool { [ENOENT, ENOTDIR, ELOOP, EINVAL, ENAMETOOLONG].contains(code) }
}

/// The result of `body`, which looks for something; `nil` if it is not there.
func ifThere<Result>(_ body: () throws(SystemError) -> Result?) throws(SystemError) -> Result? {
  do throws(SystemError) { return try body() } catch {
    guard error.isAbsence else { throw error }
    return nil
  }
}
