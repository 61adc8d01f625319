import SyncModel

/// The life of a target whose entry has left its list: nothing is asked and nothing is made (contract, section 11).
///
/// Its output is removed, if at all, after the run has succeeded: only what syncmake made and nobody edited.
extension TargetMachine {
  /// - Parameter isRead: whether reading the output was tried, so that it is not read again.
  mutating func endGone(_ gone: GoneEntry, isRead: Bool = false) {
    var owner = FreshnessRules.ownership(question)
    // What is left of a folder goes, too.
    if case .incomplete = question.output, let record = question.record {
      owner = .ours(record, needsRenewal: false)
    }
    let isSpared = question.directive == .assumeFresh
    if gone.fate == .removed, !isSpared, !isRead, case .needsDigest = owner {
      return emit(.readOutput([.sha256]))
    }
    var line = Planner.gone(target, gone, owner, in: terms.graph)
    if isSpared, gone.fate == .removed { (line.action, line.reason) = (.fresh, .fresh(.assumedFresh)) }
    guard terms.purpose != .plan else { return finishPlan(line) }
    let reason = line.reason ?? .fresh(.listGone)
    decide(reason)
    // It is there until everything else has succeeded.
    result.outcome = .fresh
    switch line.action {
    case .fresh: result.reason = reason
    case .update: result.reason = .fresh(.listGoneWaits(for: nil))
    default: result.reason = .fresh(.listGone)
    }
    if owner != .missing { result.content = question.record?.content }
    end()
  }
}
