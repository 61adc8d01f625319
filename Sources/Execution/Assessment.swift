import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// Comes to a verdict on one target: asks the rules, learns the fact they miss, asks again.
///
/// It stops where only the source can tell, since a run and a plan ask that in different ways.
final class Assessment {
  enum Conclusion {
    case decided(Decision)
    /// The rules want to know whether the source still has what these validators name.
    case mustAskSource(Validators, Decision)
    /// A fact could not be learnt; `decision` is the last one, where there was one.
    case failed(FailureCause)
  }

  private(set) var question: FreshnessQuestion
  /// What the rules said last.
  private(set) var lastDecision: Decision?
  /// What the rule's sidecar cost.
  private(set) var totals = ExchangeTotals()
  /// Whether something beyond this machine was asked for the verdict.
  private(set) var hasAskedSource = false
  private let context: RunContext
  private let target: Target
  private var done: ((Conclusion) -> Void)?
  private var hasGathered = false

  /// For the target that `question`, which ``question(on:in:)`` made, is about.
  init(_ question: consuming FreshnessQuestion, in context: RunContext) {
    self.context = context
    target = question.target
    self.question = question
  }

  /// What the rules are to be asked about a target, as far as a look at it and its record tell.
  static func question(on id: TargetID, in context: RunContext) -> FreshnessQuestion {
    let target = context.manifest[id]
    let settings = context.settings
    var directive = FreshnessQuestion.Directive.none
    if settings.forcesAll || settings.assumedNew.contains(id) { directive = .force }
    if settings.assumedOld.contains(id) { directive = .assumeFresh }
    let (record, pending) = (context.records.record(for: target), context.records.pending(for: target))
    // What was here before may be here again.
    let isNew = record == nil && pending == nil
    var question = FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: context.manifest), record: record,
      pending: pending,
      output: isNew ? context.root.observeUnpublished(target.output) : context.root.observe(target.output),
      directive: directive,
      overwritesEdits: settings.overwritesEdits, now: SystemClock.now(),
      pin: context.workspace.pin(of: target))
    question.mustKnowDownload = settings.collectsPins
    return question
  }

  /// Calls `done` once, now or later.
  func start(_ done: @escaping (Conclusion) -> Void) {
    self.done = done
    step()
  }

  /// Goes on with what the source said.
  func answer(_ answer: SourceAnswer) {
    hasAskedSource = true
    question.facts.sourceAnswer = answer
    step()
  }

  /// Nobody waits any more; lets go of whoever did.
  func release() { done = nil }

  /// The table's lines before this one ask nothing of dependencies, so that a list which cannot be read
  /// fails nobody whom it does not concern.
  private static let firstLineOfDependencies = 6

  private func gather(_ edges: ArraySlice<TargetGraph.Edge>) {
    var edges = edges
    while let edge = edges.popFirst() {
      let rest = edges
      if let content = context.content(at: edge) {
        add(edge, content)
      } else {
        read(edge) { [self] result in
          switch result {
          case .success(let digest):
            add(edge, .settled(digest))
            gather(rest)
          case .failure(let cause): conclude(.failed(cause))
          }
        }
        return
      }
    }
    step()
  }

  private func add(_ edge: TargetGraph.Edge, _ content: DependencyState.Content) {
    question.dependencies.append(
      DependencyState(
        kind: edge.kind, name: context.manifest[edge.from].name, entry: edge.entry, content: content))
  }

  private func read(_ edge: TargetGraph.Edge, _ done: @escaping (Result<HexDigest, FailureCause>) -> Void) {
    guard let entry = edge.entry, let algorithm = edge.algorithm else {
      return done(.failure(.internalError("a verify edge without a line")))
    }
    ExpectedDigest.find(algorithm, .entry(edge.from, name: Exact(entry)), for: target, in: context) {
      result, _ in
      done(result)
    }
  }

  private func step() {
    let decision = FreshnessRules.verdict(question)
    if !hasGathered, decision.line >= Self.firstLineOfDependencies {
      hasGathered = true
      // Of what is as locked nobody asks what a list says of it; only `-W` of a dependency matters.
      let isAsLocked = if case .fresh(.asLocked) = decision.verdict { true } else { false }
      gather(
        context.workspace.graph.dependencies(of: target.id).filter {
          $0.kind != .after && !(isAsLocked && $0.kind == .verify)
        }[...])
      return
    }
    lastDecision = decision
    guard case .undecided(let probe) = decision.verdict else { return conclude(.decided(decision)) }
    switch probe {
    case .outputDigests(let algorithms): hashOutput(algorithms)
    case .expectedDigest(let algorithm, let source): findExpected(algorithm, source)
    case .source(let validators): conclude(.mustAskSource(validators, decision))
    }
  }

  private func hashOutput(_ algorithms: Set<DigestAlgorithm>) {
    OutputHasher.hash(target.output, algorithms.union([.sha256]), in: context) { [self] result in
      switch result {
      case .success(let identity):
        question.facts.outputDigests = identity.digests
        step()
      case .failure(let cause): conclude(.failed(cause))
      }
    }
  }

  private func findExpected(_ algorithm: DigestAlgorithm, _ source: DigestSource) {
    ExpectedDigest.find(algorithm, source, for: target, in: context) { [self] result, cost in
      totals += cost
      if case .sidecar = source { hasAskedSource = true }
      switch result {
      case .success(let digest):
        question.facts.expectedDigest = digest
        step()
      case .failure(let cause): conclude(.failed(cause))
      }
    }
  }

  private func conclude(_ conclusion: Conclusion) { done?(conclusion) }
}
