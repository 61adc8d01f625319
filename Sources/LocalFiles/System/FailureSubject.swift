import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The subject of a failed call, so that its `errno` becomes the right cause.
enum FailureSubject: Sendable {
  /// An output, by its path from the root.
  case output(String)
  /// Something to be read: a local source, or an output by its path from the root.
  case source(String)
  /// Something in the state folder, or the folder itself, which is then not open yet.
  case state(String, in: StateFolder? = nil)

  var path: String {
    switch self {
    case .output(let path), .source(let path), .state(let path, _): path
    }
  }

  func cause(_ error: SystemError) -> FailureCause {
    switch self {
    case .source(let path):
      .sourceUnreadable(path: path, error.code == ENOENT ? .missing : .system(error.text))
    case .output(let path):
      switch error.code {
      case ENOSPC, EDQUOT: .diskFull(path: path)
      default: .outputUnwritable(path: path, error.fault)
      }
    case .state(let path, let folder):
      switch error.code {
      case ENOSPC, EDQUOT: folder?.isFull ?? .diskFull(path: path)
      case EACCES, EPERM:
        .outputUnwritable(path: path, Self.owned(path) ?? error.fault)
      default: .outputUnwritable(path: path, error.fault)
      }
    }
  }

  /// `nil` if it is this user's.
  private static func owned(_ path: String) -> PathFault? {
    FileOwner.other(of: path).map { .belongsTo(user: $0.name, ofFolder: $0.place != path) }
  }

  /// Runs `body` and turns its error into a cause that names the subject.
  func attempt<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(FailureCause) -> Result {
    do throws(SystemError) { return try body() } catch { throw cause(error) }
  }
}

extension FailureCause {
  /// The system refused since nothing may be written there, by this user or by anybody. Not one of ``FailureTraits``, since
  /// their module knows no system's numbers.
  package var isRefusedWriting: Bool {
    switch self {
    case .outputUnwritable(_, .system(let code, _)): [EROFS, EACCES, EPERM].contains(code)
    case .outputUnwritable(_, .belongsTo): true
    default: false
    }
  }
}
