import Planning
import SyncModel

/// Reads the facts of one target's dependencies.
enum DependencyReader {
  /// Calls `done` once, now or later; without lists, the lines that `verify` reads are left out.
  static func read(
    _ target: Target, withLists: Bool, in context: RunContext,
    done: @escaping (Result<[DependencyState], FailureCause>) -> Void
  ) {
    let edges = context.workspace.graph.dependencies(of: target.id).filter {
      $0.kind != .after && (withLists || $0.kind != .verify)
    }
    read(edges[...], of: target, [], in: context, done)
  }

  private static func read(
    _ edges: ArraySlice<TargetGraph.Edge>, of target: Target, _ states: [DependencyState],
    in context: RunContext, _ done: @escaping (Result<[DependencyState], FailureCause>) -> Void
  ) {
    var (edges, states) = (edges, states)
    func add(_ edge: TargetGraph.Edge, _ content: DependencyState.Content) {
      states.append(
        DependencyState(
          kind: edge.kind, name: context.manifest[edge.from].name, entry: edge.entry, content: content))
    }
    while let edge = edges.popFirst() {
      if let content = context.content(at: edge) {
        add(edge, content)
        continue
      }
      guard let entry = edge.entry, let algorithm = edge.algorithm else {
        return done(.failure(.internalError("a verify edge without a line")))
      }
      let (rest, known) = (edges, states)
      ExpectedDigest.find(algorithm, .entry(edge.from, name: ByteString(entry)), for: target, in: context) {
        result, _ in
        switch result {
        case .success(let digest):
          let state = DependencyState(
            kind: edge.kind, name: context.manifest[edge.from].name, entry: edge.entry,
            content: .settled(digest))
          read(rest, of: target, known + [state], in: context, done)
        case .failure(let cause): done(.failure(cause))
        }
      }
      return
    }
    done(.success(states))
  }
}
