package import SyncModel

/// The result of a run as a whole.
package enum RunJudgement {
  /// The status of a run with these results, one for each selected target.
  ///
  /// A failure of an optional target, and the skips below it, do not count (contract, section 2, `optional`).
  /// Skips below any other failure need no look of their own: that failure is among the results.
  package static func status(results: [TargetResult], interrupted: Bool) -> RunStatus {
    if interrupted { return .interrupted }
    let hasFailed = results.contains { result in
      result.outcome == .failed && !result.isOptional || result.skipped == .runStopped
    }
    return hasFailed ? .failed : .ok
  }

  /// Whether a failed run may succeed later, unchanged: every failure that counts is of a kind that is retried
  /// (contract, section 1, status 75).
  package static func isTemporary(results: [TargetResult]) -> Bool {
    isTemporary(failures: results.filter { $0.outcome == .failed && !$0.isOptional }.map(\.failure?.cause))
  }

  /// The same for the failures of a plan's checks; `nil` is a failure whose cause is unknown.
  package static func isTemporary(failures: [FailureCause?]) -> Bool {
    !failures.isEmpty && failures.allSatisfy { $0?.isOfRetriedKind == true }
  }
}
