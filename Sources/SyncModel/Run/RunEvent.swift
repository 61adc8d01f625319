/// What happens in a run, as it happens; every kind of report is fed from these.
///
/// An event bears no time of its own: whoever receives it knows when. Where something began earlier or on another
/// thread, the event has its ``RunSpan``.
package enum RunEvent: Sendable {
  /// Another run holds the root; `holder` is what its lock says of it.
  case waitingForLock(holder: String)
  case started(targets: Int)
  case note(TargetID, ExchangeNote)
  case decided(TargetID, Reason)
  /// A try failed and another follows; `attempt` counts from 1.
  case retrying(TargetID, attempt: Int, after: Duration, cause: FailureCause)
  /// This mirror is given up for the next one.
  case nextMirror(TargetID, url: String, cause: FailureCause)
  case warning(RunWarning)
  /// More of a body is here; only where the run was asked to report progress.
  case received(TargetID, BodyProgress)
  /// Time has passed, a tenth of a second or so; only where the run was asked to report progress.
  case tick
  /// Something must be asked, read or fetched for this target; only where the run was asked to report times.
  case began(TargetID)
  /// A request and its reply are over, in whatever way; only where the run was asked to report times.
  case requested(TargetID, RequestTrace)
  /// A body went through the target's steps to its end; only where the run was asked to report times.
  case stepped(TargetID, StepTimes)
  /// A finished file waits to be put in place; only where the run was asked to report times.
  case publishing(TargetID)
  /// The file is in place, or could not be put there; only where the run was asked to report times.
  case published(TargetID)
  case finished(TargetResult)
}

/// How much of a body has come.
package struct BodyProgress: Sendable, Equatable {
  /// Bytes that are here, those kept from an earlier try or run among them.
  package var here: Int64
  /// Bytes that came since the last report.
  package var more: Int64
  /// The whole body's length; `nil` where the server did not tell.
  package var total: Int64?

  package init(here: Int64, more: Int64, total: Int64?) {
    self.here = here
    self.more = more
    self.total = total
  }
}

/// A problem that does not fail a target.
package enum RunWarning: Sendable, Equatable {
  /// The reply had no validator, so that the rule can never say "fresh".
  case noValidator(TargetID, url: String)
  /// The state was damaged, or a later version's, and set aside under this name.
  case stateSetAside(path: String, why: String)
  /// The state is damaged or may not be read, and is left as it is: nothing in it counts.
  case stateUnreadable(why: String)
  /// The state cannot be written: what was not committed before is not remembered.
  case stateUnwritable(path: String, why: String)
  /// A file that the run was to write about itself cannot be written any more, or not be put in place.
  case reportUnwritable(path: String, why: String)
  /// `syncmake.lock` lacks or contradicts what the manifest has.
  case lock(Diagnostic)
}
