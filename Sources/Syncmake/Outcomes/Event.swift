/// What happens in a run, as it happens. Let a `switch` over any enum of this module have a `default`: later versions may
/// have more cases.
public enum Event: Sendable {
  /// Another run holds the state folder, and is waited for; `holder` describes it.
  case waiting(holder: String)
  /// The run begins with this many targets.
  case started(targets: Int)
  /// More of a body has come: all its bytes that are here, and its length, if it is known. Only if
  /// ``RunOptions/reportsProgress`` is set.
  case progress(target: String, received: Int64, total: Int64?)
  /// A try failed, and another follows; `attempt` counts from 1.
  case retrying(target: String, attempt: Int, after: Duration, error: SyncError)
  /// This mirror failed, and the next one is asked.
  case nextMirror(target: String, url: String, error: SyncError)
  /// Something is odd, and the run goes on.
  case warning(Problem)
  /// A target ended; each selected target does so once.
  case finished(TargetResult)
  /// The run ended: always the last event.
  case ended(RunResult)
}
