/// What became of a target in a run (SPEC section 7).
package enum Outcome: String, Sendable, CaseIterable {
  case updated, fresh, failed, skipped
}

/// Everything that reports say of one target after a run.
package struct TargetResult: Sendable, Equatable {
  package var id: TargetID
  package var name: TargetName
  package var outcome: Outcome
  /// `nil` where the target failed or was skipped before a verdict.
  package var reason: Reason?
  package var output: RelativePath
  /// Of the output, where it is known.
  package var content: ContentIdentity?
  /// Of all requests for it; those for a shared sidecar count for the target that caused them.
  package var totals = ExchangeTotals()
  /// Bytes of the body that were kept from an earlier run.
  package var bytesResumed: Int64 = 0
  /// Of the last reply; `nil` where none came.
  package var httpStatus: Int?
  /// After redirects, secrets masked; `nil` for targets that asked nobody.
  package var url: String?
  /// From the first look at it to its end; zero where there was none, and with `--touch`.
  package var duration: Duration = .zero
  /// An update whose bytes turned out the same.
  package var isUnchanged = false
  /// Whether its failure leaves the run's status alone and skips only what depends on it.
  package var isOptional = false
  /// Set exactly when ``outcome`` is failed.
  package var failure: TargetFailure?
  /// Set exactly when ``outcome`` is skipped.
  package var skipped: SkipReason?
  /// What a lock would say of it; set by `lock` and `update` only, where the target succeeded.
  package var pin: Pin?

  package init(id: TargetID, name: TargetName, outcome: Outcome, reason: Reason? = nil, output: RelativePath)
  {
    self.id = id
    self.name = name
    self.outcome = outcome
    self.reason = reason
    self.output = output
  }
}

/// A failed target: what happened, and what is left.
package struct TargetFailure: Error, Sendable, Equatable {
  package var cause: FailureCause
  /// Tries made, 1 or more; 0 where it was no try that failed, but what came before the first or after the last.
  package var tries: Int
  /// Whether an older output is still in place.
  package var keptOutput: Bool
  /// Bytes of a partial download that the next run can go on from; 0 for none.
  package var keptPartial: Int64

  package init(_ cause: FailureCause, tries: Int = 0, keptOutput: Bool = false, keptPartial: Int64 = 0) {
    self.cause = cause
    self.tries = tries
    self.keptOutput = keptOutput
    self.keptPartial = keptPartial
  }

  /// The code of its ``cause``, as reports show it.
  package var code: FailureCode { cause.code }
}

/// Why a target was not looked at.
package enum SkipReason: Sendable, Equatable {
  /// This dependency failed or was skipped itself.
  case dependency(TargetName)
  /// The run stopped first: after another failure, or by a signal.
  case runStopped
  /// `--touch` found no file to record.
  case nothingToTouch
}

/// A run as a whole.
package enum RunStatus: String, Sendable {
  case ok, failed, interrupted
}
