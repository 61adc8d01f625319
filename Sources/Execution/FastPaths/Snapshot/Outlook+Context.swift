import Planning
import SyncModel

extension Outlook {
  /// By what is there now; `nil` also if the content of a dependency is not known.
  init?(_ target: Target, _ record: TargetRecord, in context: RunContext, now: Timestamp) {
    var question = FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: context.manifest), record: record,
      output: context.observe(target), now: now)
    for edge in context.workspace.graph.dependencies(of: target.id) where edge.kind != .after {
      guard let content = context.content(at: edge) else { return nil }
      question.dependencies.append(
        DependencyState(
          kind: edge.kind, name: context.manifest[edge.from].name, entry: edge.entry, content: content))
    }
    self.init(question)
  }
}
