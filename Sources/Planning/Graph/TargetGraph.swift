package import SyncModel

/// The dependencies among a manifest's targets, without cycles (the parser checks that).
package struct TargetGraph: Sendable {
  /// `to` depends on `from`.
  package struct Edge: Sendable, Equatable {
    package var from: TargetID
    package var to: TargetID
    package var kind: DependencyKind
    /// The line's name for ``DependencyKind/verify``.
    package var entry: String?
    /// The algorithm of the line's digest for ``DependencyKind/verify``.
    package var algorithm: DigestAlgorithm?

    package init(
      from: TargetID, to: TargetID, kind: DependencyKind, entry: String? = nil,
      algorithm: DigestAlgorithm? = nil
    ) {
      self.from = from
      self.to = to
      self.kind = kind
      self.entry = entry
      self.algorithm = algorithm
    }
  }

  /// Every edge, grouped by dependent in manifest order; for each: needs, after, from, verify as written.
  package let edges: [Edge]
  /// Every target once, dependencies first, otherwise in manifest order.
  package let order: [TargetID]
  /// The place of each target's edges in ``edges``, by index; its dependents' ids, by index.
  private let dependencyRanges: [Range<Int>]
  private let dependentLists: [[TargetID]]
  private let names: [TargetName]

  /// Of a manifest's targets; the parser has refused cycles and names that nothing has.
  package init(_ manifest: Manifest) {
    var edges: [Edge] = []
    var ranges: [Range<Int>] = []
    var dependents = [[TargetID]](repeating: [], count: manifest.targets.count)
    for target in manifest.targets {
      let start = edges.count
      edges += Self.edges(of: target)
      ranges.append(start..<edges.count)
      for edge in edges[start...] where dependents[edge.from.index].last != target.id {
        dependents[edge.from.index].append(target.id)
      }
    }
    self.edges = edges
    names = manifest.targets.map(\.name)
    dependencyRanges = ranges
    dependentLists = dependents
    order = Self.order(ranges: ranges, edges: edges)
  }

  /// The dependencies of `id`, in the manifest's order.
  package func dependencies(of id: TargetID) -> ArraySlice<Edge> { edges[dependencyRanges[id.index]] }

  /// The dependents of `id`, each once, in manifest order.
  package func dependents(of id: TargetID) -> [TargetID] { dependentLists[id.index] }

  /// The name of `id` in the manifest.
  package func name(of id: TargetID) -> TargetName { names[id.index] }

  private static func edges(of target: Target) -> [Edge] {
    var edges = target.needs.map { Edge(from: $0, to: target.id, kind: .needs) }
    edges += target.after.map { Edge(from: $0, to: target.id, kind: .after) }
    if case .target(let from) = target.source { edges.append(Edge(from: from, to: target.id, kind: .from)) }
    func add(_ algorithm: DigestAlgorithm, _ source: DigestSource) {
      guard case .entry(let id, let name) = source else { return }
      let edge = Edge(from: id, to: target.id, kind: .verify, entry: name.text, algorithm: algorithm)
      if !edges.contains(edge) { edges.append(edge) }
    }
    if case .digest(let rule)? = target.freshness?.innermost { add(rule.algorithm, rule.expected) }
    for case .verifyDigest(let algorithm, let source) in target.steps { add(algorithm, source) }
    return edges
  }

  /// Depth first in manifest order, without recursion: chains may be as long as the manifest.
  private static func order(ranges: [Range<Int>], edges: [Edge]) -> [TargetID] {
    var order: [TargetID] = []
    order.reserveCapacity(ranges.count)
    var isPlaced = [Bool](repeating: false, count: ranges.count)
    var next = ranges.map(\.lowerBound)
    for root in ranges.indices where !isPlaced[root] {
      var stack = [root]
      while let top = stack.last {
        if isPlaced[top] {
          stack.removeLast()
        } else if next[top] < ranges[top].upperBound {
          let dependency = edges[next[top]].from.index
          next[top] += 1
          if !isPlaced[dependency] { stack.append(dependency) }
        } else {
          isPlaced[top] = true
          order.append(TargetID(top))
          stack.removeLast()
        }
      }
    }
    return order
  }
}
