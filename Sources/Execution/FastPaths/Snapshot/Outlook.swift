import Planning
import SyncModel

/// What the next run will find of a target by the rules, as long as nothing changes: a row of the compiled snapshot.
enum Outlook {
  case stands(Standing)
  case asks(Revalidation)

  /// `nil` where the next run will have more to do than to look at the output and to ask one plain question.
  init?(_ target: Target, _ record: TargetRecord, in context: RunContext, now: Timestamp) {
    var question = FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: context.manifest), record: record,
      output: context.root.observe(target.output.path), now: now)
    for edge in context.workspace.graph.dependencies(of: target.id) where edge.kind != .after {
      guard let content = context.content(at: edge) else { return nil }
      question.dependencies.append(
        DependencyState(
          kind: edge.kind, name: context.manifest[edge.from].name, entry: edge.entry, content: content))
    }
    let decision = FreshnessRules.verdict(question)
    if let standing = Standing(decision, question) {
      self = .stands(standing)
    } else if case .undecided(.source(let asked)) = decision.verdict,
      let revalidation = Revalidation(asking: decision, question, confirmed: asked)
    {
      self = .asks(revalidation)
    } else {
      return nil
    }
  }
}
