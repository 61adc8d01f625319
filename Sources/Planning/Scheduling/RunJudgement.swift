import SyncModel

/// What a run comes to as a whole.
package enum RunJudgement {
  /// The status of a run with these results, one for each selected target.
  ///
  /// A failure of an optional target, and the skips below it, do not count (SPEC section 2, `optional`).
  /// Skips below any other failure need no look of their own: that failure is among the results.
  package static func status(results: [TargetResult], interrupted: Bool) -> RunStatus {
    if interrupted { return .interrupted }
    let hasFailed = results.contains { result in
      result.outcome == .failed && !result.isOptional || result.skipped == .runStopped
    }
    return hasFailed ? .failed : .ok
  }
}
