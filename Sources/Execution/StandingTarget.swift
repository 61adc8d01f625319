import LocalFiles
import Planning
import SyncModel

/// The end of a target that is fresh by what is here alone: nothing to ask, to read, to write or to record.
///
/// Most targets of most runs end so; they are spared everything that a ``TargetRun`` has ready for the others,
/// and come to the same result.
struct StandingTarget {
  let result: TargetResult
  let standing: Standing

  /// `nil` where there may be more to it.
  ///
  /// Otherwise the verdict has been reported and the target is settled; `began` is when it was first looked at.
  init?(_ question: FreshnessQuestion, in context: RunContext, began: Duration) {
    // What is not there is fresh by command at most.
    guard question.output != .missing else { return nil }
    let target = question.target
    guard !context.settings.collectsPins, context.workspace.graph.dependencies(of: target.id).isEmpty else {
      return nil
    }
    let decision = FreshnessRules.verdict(question)
    guard case .fresh(let reason) = decision.verdict, let standing = Standing(decision, question) else {
      return nil
    }
    // What its freshness rests on must be recorded.
    if case .withinInterval = reason, let record = decision.record, context.records.isOnlyNoted(record) {
      return nil
    }
    context.report(.decided(target.id, .fresh(reason)))
    context.settle(target.id, content: decision.record?.content)
    var result = TargetResult(id: target.id, name: target.name, outcome: .fresh, output: target.output)
    result.reason = .fresh(reason)
    result.isOptional = target.isOptional
    result.content = decision.record?.content
    result.duration = SystemClock.monotonic() - began
    self.result = result
    self.standing = standing
  }
}
