/// What happens in a run, as it happens; every kind of report is fed from these.
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

/// Something to be said that fails nothing.
package enum RunWarning: Sendable, Equatable {
  /// The reply had no validator, so that the rule can never say "fresh".
  case noValidator(TargetID, url: String)
  /// The state was damaged and set aside under this name.
  case stateSetAside(path: String, why: String)
  /// The state cannot be written, so nothing of this run is remembered.
  case stateUnwritable(path: String, why: String)
}
