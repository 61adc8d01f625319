package import SyncModel

/// Why a run, a plan or a status could not even begin.
package enum RunFault: Error, Sendable, Equatable {
  /// Another run holds the root, and `--no-wait` was given; `holder` is the text of its lock.
  case busy(holder: String)
  /// Stopped while waiting for another run.
  case interrupted
  /// The root, or something every target needs, cannot be used.
  case unusable(FailureCause)
  /// The manifest has changed while the command waited for another run: begin again by reading it.
  case manifestChanged
  /// `syncmake.lock` has changed since it was read: read it again, and start over.
  case lockFileChanged
  /// Another run has changed the state after ``Workspace/open`` was determined: start over with all targets.
  case stateChanged

  /// Whether a command ends with it. Otherwise it begins again: with the lock, unless it has done so (`isLast`), or with the
  /// manifest. A run of ``Workspace/open`` alone begins again with ``stateChanged``, too.
  package func endsCommand(isLast: Bool) -> Bool {
    self != .manifestChanged && (isLast || self != .lockFileChanged)
  }
}
