package import SyncModel

/// Why a run, a plan or a status could not even begin.
package enum RunFault: Error, Sendable, Equatable {
  /// Another run holds the root, and `--no-wait` was given; `holder` is the text of its lock.
  case busy(holder: String)
  /// Stopped while waiting for another run.
  case interrupted
  /// The root, or something every target needs, cannot be used.
  case unusable(FailureCause)
  /// `syncmake.lock` has changed since it was read: read it again, and start over.
  case lockFileChanged
  /// Another run has changed the state after ``Workspace/open`` was determined: start over with all targets.
  case stateChanged

  /// What reports name as the failure of the run; `nil` if it was interrupted.
  package var cause: FailureCause? {
    func unwritable(_ path: String, _ why: String) -> FailureCause {
      .outputUnwritable(path: path, .system(errno: 0, text: why))
    }
    return switch self {
    case .busy(let holder): unwritable(".", "another run holds this root: \(holder)")
    case .stateChanged: unwritable(".", "the state keeps changing")
    case .lockFileChanged: unwritable(LockFile.fileName, "it keeps changing")
    case .unusable(let cause): cause
    case .interrupted: nil
    }
  }
}
