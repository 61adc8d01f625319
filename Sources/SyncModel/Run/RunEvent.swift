/// The events of a run, as they happen; every kind of report uses them.
///
/// An event has no time: its receiver knows when it comes. If something began earlier or on another thread, the
/// event has its ``RunSpan``. Rare events with much in them are `indirect`, so that the others are small.
package enum RunEvent: Sendable {
  /// Another run holds the root; `holder` is the text in its lock.
  case waitingForLock(holder: String)
  /// The run holds the root and begins with this many selected targets.
  case started(targets: Int)
  /// A line for `--verbose` about one request for the target.
  case note(TargetID, ExchangeNote)
  /// The target's verdict, with its reason.
  case decided(TargetID, Reason)
  /// A try failed and another follows; `attempt` counts from 1.
  indirect case retrying(TargetID, attempt: Int, after: Duration, cause: FailureCause)
  /// This mirror is given up for the next one.
  indirect case nextMirror(TargetID, url: String, cause: FailureCause)
  /// Something is odd, and the run continues.
  indirect case warning(RunWarning)
  /// More of a body has arrived; only if the run reports progress.
  case received(TargetID, BodyProgress)
  /// About a tenth of a second has passed; only if the run reports progress.
  case tick
  /// Work for this target begins: a request, a read or a download; only if the run reports times.
  case began(TargetID)
  /// A request ended, with or without a complete reply; only if the run reports times.
  indirect case requested(TargetID, RequestTrace)
  /// A body went through all steps of the target; only if the run reports times.
  indirect case stepped(TargetID, StepTimes)
  /// A finished file waits for its publication; only if the run reports times.
  case publishing(TargetID)
  /// The file is in place, after the publication of its unit or update; only if the run reports times.
  case published(TargetID)
  /// The target has ended. Its output waits for the publication of its unit or update; the result comes after that.
  case withheld(TargetID)
  /// The target's result; each selected target has exactly one.
  case finished(TargetResult)
}

/// How much of a body has come.
package struct BodyProgress: Sendable, Equatable {
  /// All bytes present, including those from an earlier try or run.
  package var here: Int64
  /// Bytes that came since the last report.
  package var more: Int64
  /// The whole body's length; `nil` if it is unknown.
  package var total: Int64?

  /// All three are in bytes; `here` includes `more`.
  package init(here: Int64, more: Int64, total: Int64?) {
    self.here = here
    self.more = more
    self.total = total
  }
}

/// A problem that does not fail a target.
package enum RunWarning: Sendable, Equatable {
  /// The reply had no validator, so the rule can never say "fresh".
  case noValidator(TargetID, url: String)
  /// The reply is a page for people, and is stored under the name of something else.
  case webPage(TargetID, url: String)
  /// The state was damaged, or a later version's, and set aside under this name.
  case stateSetAside(path: String, why: String)
  /// The state is damaged or unreadable; it is left unchanged and ignored.
  case stateUnreadable(why: String)
  /// The state cannot be written: whatever was not committed before is not recorded.
  case stateUnwritable(path: String, why: String)
  /// The cache cannot be read or written: the run does without it, at least in part.
  case cacheUnusable(path: String, CacheFault)
  /// A file of the cache has other bytes than its name says; it is removed, and fetched from its source.
  case cacheEntryBad(path: String)
  /// The cache on a server does not do what it should; it is told of once.
  case remoteCacheUnusable(url: String, RemoteCacheFault)
  /// A report of the run can no longer be written or put into its place.
  case reportUnwritable(path: String, why: String)
  /// `syncmake.lock` lacks or contradicts what the manifest has.
  case lock(Diagnostic)
}
