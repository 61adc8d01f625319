/// A target's outcome in a run (contract, section 7).
package enum Outcome: String, Sendable, CaseIterable {
  /// The words of JSON; `updated` includes downloads whose bytes turned out the same.
  case updated, fresh, failed, skipped
}

/// Everything that reports contain about a target after a run.
///
/// Copies share its fields, like those of a ``Target``.
package struct TargetResult: Sendable, Equatable {
  private struct Fields: Sendable, Equatable {
    var id: TargetID
    var name: TargetName
    var outcome: Outcome
    var reason: Reason?
    var output: RelativePath
    var content: ContentIdentity?
    var totals = ExchangeTotals()
    var bytesResumed: Int64 = 0
    var httpStatus: Int?
    var url: String?
    var duration = Duration.zero
    var isUnchanged = false
    var isOptional = false
    var failure: TargetFailure?
    var skipped: SkipReason?
    var pin: Pin?
  }

  private var shared: CopyOnWrite<Fields>

  /// All other facts start as unknown or none; the run sets them as it learns them.
  package init(id: TargetID, name: TargetName, outcome: Outcome, reason: Reason? = nil, output: RelativePath)
  {
    shared = CopyOnWrite(Fields(id: id, name: name, outcome: outcome, reason: reason, output: output))
  }

  /// Whether all fields are equal; two copies of one result are recognised without a comparison.
  package static func == (a: TargetResult, b: TargetResult) -> Bool {
    a.shared.isSame(as: b.shared) || a.shared.value == b.shared.value
  }

  /// The target's index.
  package var id: TargetID {
    get { shared.value.id }
    set { shared.value.id = newValue }
  }

  /// The target's name.
  package var name: TargetName {
    get { shared.value.name }
    set { shared.value.name = newValue }
  }

  /// How the target ended.
  package var outcome: Outcome {
    get { shared.value.outcome }
    set { shared.value.outcome = newValue }
  }

  /// `nil` if the target failed or was skipped before a verdict.
  package var reason: Reason? {
    get { shared.value.reason }
    set { shared.value.reason = newValue }
  }

  /// The file that the target produces.
  package var output: RelativePath {
    get { shared.value.output }
    set { shared.value.output = newValue }
  }

  /// The output's content, if known.
  package var content: ContentIdentity? {
    get { shared.value.content }
    set { shared.value.content = newValue }
  }

  /// The cost of all requests for the target; those for a shared sidecar count for the target that caused them.
  package var totals: ExchangeTotals {
    get { shared.value.totals }
    set { shared.value.totals = newValue }
  }

  /// Bytes of the body that were kept from an earlier run.
  package var bytesResumed: Int64 {
    get { shared.value.bytesResumed }
    set { shared.value.bytesResumed = newValue }
  }

  /// The status of the last reply; `nil` if there was none.
  package var httpStatus: Int? {
    get { shared.value.httpStatus }
    set { shared.value.httpStatus = newValue }
  }

  /// After redirects, secrets masked; `nil` for targets without a request.
  package var url: String? {
    get { shared.value.url }
    set { shared.value.url = newValue }
  }

  /// From the first look at the target to its end; zero if there was none, and with `--touch`.
  package var duration: Duration {
    get { shared.value.duration }
    set { shared.value.duration = newValue }
  }

  /// An update whose bytes turned out the same.
  package var isUnchanged: Bool {
    get { shared.value.isUnchanged }
    set { shared.value.isUnchanged = newValue }
  }

  /// Whether the output's content is another one than before the run.
  package var hasNewContent: Bool { outcome == .updated && !isUnchanged }

  /// Whether its failure leaves the run's status alone and skips only what depends on it.
  package var isOptional: Bool {
    get { shared.value.isOptional }
    set { shared.value.isOptional = newValue }
  }

  /// Set exactly when ``outcome`` is failed.
  package var failure: TargetFailure? {
    get { shared.value.failure }
    set { shared.value.failure = newValue }
  }

  /// Set exactly when ``outcome`` is skipped.
  package var skipped: SkipReason? {
    get { shared.value.skipped }
    set { shared.value.skipped = newValue }
  }

  /// The target's entry for a lock; set only by `lock` and `update`, if the target succeeded.
  package var pin: Pin? {
    get { shared.value.pin }
    set { shared.value.pin = newValue }
  }
}

/// A failed target: what happened, and what is kept.
package struct TargetFailure: Error, Sendable, Equatable {
  /// What went wrong.
  package var cause: FailureCause
  /// The number of tries, 1 or more; 0 if the failure was before the first or after the last try.
  package var tries: Int
  /// Whether an older output is still in place.
  package var keptOutput: Bool
  /// Bytes of a partial download from which the next run can resume; 0 for none.
  package var keptPartial: Int64

  /// `keptPartial` is in bytes.
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
