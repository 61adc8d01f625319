import SyncModel

/// The life of a target whose entry has left its list: nothing is asked and nothing is made (contract, section 11).
///
/// Its output is removed, if at all, after the run has succeeded.
extension TargetMachine {
  mutating func endGone(_ gone: GoneEntry) {
    guard terms.purpose != .plan else { return finishPlan(Planner.gone(target, gone, in: terms.graph)) }
    decide(.fresh(.listGone))
    result.outcome = .fresh
    result.content = question.record?.content
    end()
  }
}
