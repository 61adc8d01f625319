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
}
