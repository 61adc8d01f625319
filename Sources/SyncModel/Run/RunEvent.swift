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
  case finished(TargetResult)
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
