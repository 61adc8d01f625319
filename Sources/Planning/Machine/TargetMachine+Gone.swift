import SyncModel

/// The life of a target whose entry has left its list: nothing is asked and nothing is made (contract, section 11).
///
/// Its output is removed, if at all, after the run has succeeded.
extension TargetMachine {
  mutating func endGone(_ gone: GoneEntry) {
    guard terms.purpose != .plan else { return planGone(gone) }
    decide(gone.fate == .removed ? .stale(.listGone) : .fresh(.listGone))
    // It is there until everything else has succeeded.
    result.outcome = .fresh
    result.reason = .fresh(.listGone)
    result.content = question.record?.content
    end()
  }

  /// What a run would do with the output: only what it made and nobody edited goes.
  mutating func planGone(_ gone: GoneEntry) {
    var owner = FreshnessRules.ownership(question)
    // What is left of a folder goes, too.
    if case .incomplete = question.output, let record = question.record {
      owner = .ours(record, needsRenewal: false)
    }
    if gone.fate == .removed, case .needsDigest = owner { return emit(.readOutput([.sha256])) }
    finishPlan(Planner.gone(target, gone, owner, in: terms.graph))
  }
}
