package import SyncModel

/// What the targets of a manifest wait for, without cycles (the parser checks that): their dependencies, and for one
/// that is published with others all of these.
package struct TargetGraph: Sendable {
  /// `to` depends on `from`.
  package struct Edge: Sendable, Equatable {
    /// The dependency.
    package var from: TargetID
    /// The dependent.
    package var to: TargetID
    /// What `to` takes from `from`.
    package var kind: DependencyKind
    /// The line's name for ``DependencyKind/verify``.
    package var entry: String?
    /// The algorithm of the line's digest for ``DependencyKind/verify``.
    package var algorithm: DigestAlgorithm?
  }

  /// Every edge, grouped by dependent in manifest order; for each: needs, after, from, verify as written.
  package let edges: [Edge]
  /// Every target once, after all that it waits for, otherwise in manifest order.
  package let order: [TargetID]
  /// The targets that are published together.
  package let units: PublishedTogether
  /// By index, the start of each target's edges in ``edges``, and of its dependents in ``dependentList``; the last one
  /// is the end. A target without edges costs four bytes in each.
  private let dependencyStarts: [Int32]
  private let dependentStarts: [Int32]
  private let dependentList: [TargetID]
  private let targets: [Target]

  /// The graph of a manifest's targets; the parser has refused cycles and unknown names.
  package init(_ manifest: Manifest) {
    var edges: [Edge] = []
    var starts: [Int32] = [0]
    starts.reserveCapacity(manifest.targets.count + 1)
    for target in manifest.targets {
      Self.add(edgesOf: target, to: &edges)
      starts.append(Int32(edges.count))
    }
    self.edges = edges
    targets = manifest.targets
    dependencyStarts = starts
    (dependentStarts, dependentList) = Self.dependents(edges, count: manifest.targets.count)
    units = PublishedTogether(manifest.groups, targets: manifest.targets.count)
    order = units.isEmpty ? Self.order(starts: starts, edges: edges) : Self.order(starts, edges, units)
  }

  /// Whether each target runs as if it were the only one.
  package var isUnconnected: Bool { edges.isEmpty && units.isEmpty }

  /// The dependencies of `id`, in the manifest's order.
  package func dependencies(of id: TargetID) -> ArraySlice<Edge> {
    edges[Int(dependencyStarts[id.index])..<Int(dependencyStarts[id.index + 1])]
  }

  /// The dependents of `id`, each once, in manifest order.
  package func dependents(of id: TargetID) -> ArraySlice<TargetID> {
    dependentList[Int(dependentStarts[id.index])..<Int(dependentStarts[id.index + 1])]
  }

  /// The name of `id` in the manifest.
  package func name(of id: TargetID) -> TargetName { targets[id.index].name }

  /// The start of each target's dependents in the list, and the list.
  private static func dependents(_ edges: [Edge], count: Int) -> ([Int32], [TargetID]) {
    // The edges of one dependent are adjacent, so that the last dependent detects a second edge between two.
    var last = [Int32](repeating: -1, count: count)
    var starts = [Int32](repeating: 0, count: count + 1)
    func eachOnce(_ body: (Edge) -> Void) {
      for index in last.indices { last[index] = -1 }
      for edge in edges where last[edge.from.index] != Int32(edge.to.index) {
        last[edge.from.index] = Int32(edge.to.index)
        body(edge)
      }
    }
    eachOnce { starts[$0.from.index + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    var next = starts
    var list = [TargetID](repeating: TargetID(0), count: Int(starts[count]))
    eachOnce { edge in
      list[Int(next[edge.from.index])] = edge.to
      next[edge.from.index] += 1
    }
    return (starts, list)
  }

  private static func add(edgesOf target: Target, to edges: inout [Edge]) {
    let start = edges.count
    for id in target.needs { edges.append(Edge(from: id, to: target.id, kind: .needs)) }
    for id in target.after { edges.append(Edge(from: id, to: target.id, kind: .after)) }
    if case .target(let from) = target.source { edges.append(Edge(from: from, to: target.id, kind: .from)) }
    func add(_ algorithm: DigestAlgorithm, _ source: DigestSource) {
      guard case .entry(let id, let name) = source else { return }
      let edge = Edge(from: id, to: target.id, kind: .verify, entry: name.text, algorithm: algorithm)
      if !edges[start...].contains(edge) { edges.append(edge) }
    }
    if case .digest(let rule)? = target.freshness?.innermost { add(rule.algorithm, rule.expected) }
    for case .verifyDigest(let algorithm, let source) in target.steps { add(algorithm, source) }
  }

  /// The same where targets wait for whole units: each is a node of its own, after its members.
  private static func order(_ starts: [Int32], _ edges: [Edge], _ units: PublishedTogether) -> [TargetID] {
    let count = starts.count - 1
    var nodes: [Int32] = [0]
    var needed: [Edge] = []
    for index in 0..<count {
      for edge in edges[Int(starts[index])..<Int(starts[index + 1])] {
        var edge = edge
        if let unit = units.unit(of: edge.from, neededBy: edge.to) { edge.from = TargetID(count + unit) }
        needed.append(edge)
      }
      nodes.append(Int32(needed.count))
    }
    for unit in 0..<units.count {
      let node = TargetID(count + unit)
      needed += units.members(of: unit).map { Edge(from: $0, to: node, kind: .after) }
      nodes.append(Int32(needed.count))
    }
    return order(starts: nodes, edges: needed).filter { $0.index < count }
  }

  /// Depth first in manifest order, without recursion: chains may be as long as the manifest.
  private static func order(starts: [Int32], edges: [Edge]) -> [TargetID] {
    let count = starts.count - 1
    // Without edges the order is the manifest's.
    guard !edges.isEmpty else { return (0..<count).map { TargetID($0) } }
    var order: [TargetID] = []
    order.reserveCapacity(count)
    var isPlaced = [Bool](repeating: false, count: count)
    var next = starts
    for root in 0..<count where !isPlaced[root] {
      var stack = [root]
      while let top = stack.last {
        if isPlaced[top] {
          stack.removeLast()
        } else if next[top] < starts[top + 1] {
          let dependency = edges[Int(next[top])].from.index
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
