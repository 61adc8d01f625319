package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The error number of a failed system call.
package struct SystemError: Error, Equatable {
  /// An `errno`.
  package let code: Int32
  /// The missing feature, if that is known to be the cause.
  package let missing: FileSystemAbility?

  /// `code` is an `errno`; `missing` is given by callers that know why the call had to fail.
  package init(_ code: Int32, missing: FileSystemAbility? = nil) {
    self.code = code
    self.missing = missing
  }

  /// Whether the call is not supported, by the error numbers of file systems, sandboxes and network mounts.
  package var isUnsupported: Bool { [ENOSYS, ENOTSUP, EOPNOTSUPP, EINVAL].contains(code) }

  /// The system's message.
  package var text: String { unsafe String(cString: strerror(code)) }

  /// As a reason why a path cannot be an output.
  package var fault: PathFault {
    if let missing { .lacks(missing, text: text) } else { .system(errno: code, text: text) }
  }
}

/// Calls until it is not interrupted by a signal; a negative result is thrown as the `errno`.
@discardableResult
package func call(_ body: () -> Int32) throws(SystemError) -> Int32 { try repeated(body) }

/// The same for calls that answer with a size.
@discardableResult
package func callForSize(_ body: () -> Int) throws(SystemError) -> Int { try repeated(body) }

// One for each type, since a generic function of another module is not made for a type at build time.
@inline(__always)
private func repeated<Result: SignedInteger>(_ body: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    guard code == EINTR else { throw SystemError(code) }
  }
}
