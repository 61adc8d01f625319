import LocalFiles
import Planning
import SyncModel

/// What a run knows of one target when its turn comes.
extension RunContext {
  /// What the rules are to be asked about a target, as far as a look at it and its record tell.
  func question(on id: TargetID) -> FreshnessQuestion {
    let target = manifest[id]
    var directive = FreshnessQuestion.Directive.none
    if settings.forcesAll || settings.assumedNew.contains(id) { directive = .force }
    if settings.assumedOld.contains(id) { directive = .assumeFresh }
    let (record, pending) = (records.record(for: target), records.pending(for: target))
    // What was here before may be here again.
    let isNew = record == nil && pending == nil
    var question = FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: manifest), record: record,
      pending: pending,
      output: isNew ? root.observeUnpublished(target.output) : root.observe(target.output),
      directive: directive, overwritesEdits: settings.overwritesEdits, now: SystemClock.now(),
      pin: workspace.pin(of: target))
    question.mustKnowDownload = settings.collectsPins
    return question
  }

  /// What is known of the dependencies of a target, in the graph's order.
  func dependencyFacts(of id: TargetID) -> [DependencyFacts] {
    let edges = workspace.graph.dependencies(of: id)
    guard !edges.isEmpty else { return [] }
    return edges.map { edge in
      DependencyFacts(
        id: edge.from, kind: edge.kind, name: manifest[edge.from].name, entry: edge.entry,
        content: content(of: edge.from)?.sha256, isKeptEdit: isKeptEdit(edge.from),
        locked: settings.collectsPins ? lockedContent(at: edge) : nil)
    }
  }

  /// The digest in the present or the next lock of what a dependency gives.
  private func lockedContent(at edge: TargetGraph.Edge) -> HexDigest? {
    let input = manifest[edge.from]
    switch edge.kind {
    case .after, .needs: return nil
    case .verify:
      guard let entry = edge.entry, let algorithm = edge.algorithm else { return nil }
      return try? ExpectedDigest.entry(
        entry, algorithm, in: opener(of: input.output)(), list: input.name.text)
    case .from:
      if let pin = workspace.pin(of: input) { return pin.output.sha256 }
      // Of an edit that is kept, the version that syncmake wrote last is locked.
      return isKeptEdit(input.id)
        ? records.record(for: input)?.content.sha256 : content(of: input.id)?.sha256
    }
  }
}
