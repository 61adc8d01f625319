/// A target's outcome in a run (contract, section 7).
package enum Outcome: String, Sendable, CaseIterable {
  /// The words of JSON; `updated` includes downloads whose bytes turned out the same.
  case updated, fresh, failed, skipped
}

/// Everything that reports contain about a target after a run.
package typealias TargetResult = Shared<ResultFields>

/// The fields of a ``TargetResult``.
package struct ResultFields: Sendable, Equatable {
  /// The target's index.
  package var id: TargetID
  /// The target's name.
  package var name: TargetName
  /// How the target ended.
  package var outcome: Outcome
  /// `nil` if the target failed or was skipped before a verdict.
  package var reason: Reason?
  /// The file or folder that the target produces.
  package var output: Output
  /// The output's content, if known.
  package var content: ContentIdentity?
  /// How the folder differs from the one before; `nil` for a file, and for a folder that was not unpacked in this run.
  package var tree: TreeFacts?
  /// The cost of all requests for the target; those for a shared sidecar count for the target that caused them.
  package var totals = ExchangeTotals()
  /// Bytes of the body that were kept from an earlier run.
  package var bytesResumed: Int64 = 0
  /// Where the body came from; `nil` if none was taken, and in a run without a cache.
  package var from: BodyOrigin?
  /// Bytes of the body that came from a cache.
  package var bytesFromCache: Int64 = 0
  /// The status of the last reply; `nil` if there was none.
  package var httpStatus: Int?
  /// After redirects, secrets masked; `nil` for targets without a request.
  package var url: String?
  /// From the first look at the target to its end; zero if there was none, and with `--touch`.
  package var duration = Duration.zero
  /// An update whose bytes turned out the same.
  package var isUnchanged = false
  /// Whether its output was put in place when this run began: an earlier run was killed at it.
  package var completesEarlier = false
  /// Whether its failure leaves the run's status alone and skips only what depends on it.
  package var isOptional = false
  /// Set exactly when ``outcome`` is failed.
  package var failure: TargetFailure?
  /// Set exactly when ``outcome`` is skipped.
  package var skipped: SkipReason?
  /// The target's entry for a lock; set only by `lock` and `update`, if the target succeeded.
  package var pin: Pin?
}

extension TargetResult {
  /// All other facts start as unknown or none; the run sets them as it learns them.
  package init(id: TargetID, name: TargetName, outcome: Outcome, reason: Reason? = nil, output: Output) {
    self.init(ResultFields(id: id, name: name, outcome: outcome, reason: reason, output: output))
  }

  /// Whether it is up to date.
  package var hasSucceeded: Bool { self.outcome == .updated || self.outcome == .fresh }

  /// Whether the output's content is another one than before the run.
  package var hasNewContent: Bool {
    self.outcome == .updated && !self.isUnchanged || self.completesEarlier && self.hasSucceeded
  }
}

/// Where a target's body came from, as JSON has it (`from`).
package enum BodyOrigin: String, Sendable, CaseIterable {
  /// The target's own source.
  case origin
  /// The cache on this machine.
  case localCache = "local-cache"
  /// The cache on a server.
  case remoteCache = "remote-cache"

  /// Whether it is a cache.
  package var isCache: Bool { self != .origin }
}

/// A failed target: what happened, and what is kept.
package struct TargetFailure: Error, Sendable, Equatable {
  /// What went wrong.
  package var cause: FailureCause
  /// The number of tries, 1 or more; 0 if the failure was before the first or after the last try.
  package var tries: Int
  /// Whether an older output is still in place.
  package var keptOutput: Bool
  /// Whether the change of a folder had begun, so that some of its files may be new and others old.
  package var isHalfway: Bool
  /// Bytes of a partial download from which the next run can resume; 0 for none.
  package var keptPartial: Int64
  /// The URL of refused bytes, secrets masked; `nil` where the manifest names no other, and for other failures.
  package var origin: String?

  /// `keptPartial` is in bytes.
  package init(
    _ cause: FailureCause, tries: Int = 0, keptOutput: Bool = false, isHalfway: Bool = false,
    keptPartial: Int64 = 0
  ) {
    self.cause = cause
    self.tries = tries
    self.keptOutput = keptOutput
    self.isHalfway = isHalfway
    self.keptPartial = keptPartial
  }

  /// The code of its ``cause``, as reports show it.
  package var code: FailureCode { cause.code }
}

/// Why a target was not looked at.
package enum SkipReason: Sendable, Equatable {
  /// This dependency failed or was skipped itself.
  case dependency(TargetName)
  /// This dependency keeps its old output, since another target did not succeed with which it is published together.
  indirect case dependencyTogether(TargetName, with: TargetName)
  /// This target did not succeed, with which it is published together; what was fetched is kept for the next run.
  case together(TargetName)
  /// The run stopped first: after another failure, or by a signal.
  case runStopped
  /// It was fetched, but the update failed; the download is kept for the next one.
  case withheld
  /// `--touch` found no file to record.
  case nothingToTouch
}

/// A run as a whole.
package enum RunStatus: String, Sendable {
  /// `ok` also if only optional targets failed; `interrupted` if the run was stopped.
  case ok, failed, interrupted
}
