import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a system call answered when it failed.
struct SystemError: Error, Equatable {
  /// An `errno`.
  let code: Int32

  init(_ code: Int32) { self.code = code }

  /// The system's words for it.
  var text: String { String(cString: strerror(code)) }

  /// As a reason why a path cannot be an output.
  var fault: PathFault { .system(errno: code, text: text) }
}

/// Calls until it is not interrupted by a signal; a negative result is thrown as the `errno`.
@discardableResult
func call<Result: SignedInteger>(_ body: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    guard code == EINTR else { throw SystemError(code) }
  }
}

/// What a failing call was about, so that its `errno` becomes the right cause.
enum FailureSubject: Sendable {
  /// An output, by its path from the root.
  case output(String)
  /// Something to be read: a local source, or an output by its path from the root.
  case source(String)
  /// Something in the state folder.
  case state(String)

  var path: String {
    switch self {
    case .output(let path), .source(let path), .state(let path): path
    }
  }

  func cause(_ error: SystemError) -> FailureCause {
    switch self {
    case .source(let path): .sourceUnreadable(path: path, text: error.text)
    case .output(let path), .state(let path):
      switch error.code {
      case ENOSPC, EDQUOT: .diskFull(path: path)
      default: .outputUnwritable(path: path, error.fault)
      }
    }
  }

  /// Runs `body` and turns its error into a cause that names the subject.
  func attempt<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(FailureCause) -> Result {
    do throws(SystemError) { return try body() } catch { throw cause(error) }
  }
}

extension FailureCause {
  /// The system refused since nothing may be written there, by this user or by anybody.
  package var isRefusedWriting: Bool {
    guard case .outputUnwritable(_, .system(let code, _)) = self else { return false }
    return [EROFS, EACCES, EPERM].contains(code)
  }
}
