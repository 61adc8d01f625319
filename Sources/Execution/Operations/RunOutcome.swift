package import SyncModel

/// The result of a run.
package struct RunOutcome: Sendable {
  /// One for each selected target, in an order in which they could run.
  package var results: [TargetResult]
  /// Also failed if the run could not begin for another reason than an interruption.
  package var status: RunStatus
  /// A failure that belongs to no target: the run could not begin, or the lock could not be written.
  package var failure: FailureCause?
  /// Includes the wait for another run; zero if no run began, and with `--touch`.
  package var duration: Duration
  /// The outputs that were removed, since their entries have left their lists.
  package var removed: [Output] = []
  /// What the run has had from its cache; `nil` without one.
  package var cache: CacheAccount?
  /// The number of other targets that were found fresh before the run began.
  package var confirmed = 0

  /// `results` has one entry for each selected target; a run of one operation has no ``confirmed`` targets.
  package init(results: [TargetResult], status: RunStatus, duration: Duration) {
    self.results = results
    self.status = status
    self.duration = duration
  }
}
