package import SyncModel

/// From a decision to a line of the plan (contract, section 7); asking the questions is the driver's.
package enum Planner {
  /// The line of a target, with its decision so far.
  ///
  /// An undecided verdict is due to `--offline`: `maybe`, without a reason. `bytes` is the size of a download, by
  /// the server.
  package static func planned(
    _ target: Target, in graph: TargetGraph, by decision: Decision, bytes: Int64? = nil
  ) -> PlannedTarget {
    var line = blank(target, in: graph)
    switch decision.verdict {
    case .fresh(let reason):
      line.action = .fresh
      line.reason = .fresh(reason)
    case .stale(let reason):
      line.action = .update
      line.reason = .stale(reason)
      line.bytes = bytes
    case .dependsOn(let names):
      line.action = .maybe
      line.waitsFor = names
      line.reason = .stale(.dependencyChanged(changes(of: names, target, in: graph, since: decision.record)))
    case .undecided: line.action = .maybe
    case .refused(let cause):
      line.action = .error
      line.failure = cause
    }
    return line
  }

  /// The line of a target whose check failed; the others are still planned.
  package static func failed(
    _ target: Target, in graph: TargetGraph, _ cause: FailureCause
  ) -> PlannedTarget {
    var line = blank(target, in: graph)
    line.action = .error
    line.failure = cause
    return line
  }

  /// The line of a target of which nothing is known until others succeed, which may fail.
  static func awaiting(
    _ others: [TargetID], _ target: Target, in manifest: Manifest, _ graph: TargetGraph
  ) -> PlannedTarget {
    var line = blank(target, in: graph)
    line.action = .maybe
    line.waitsFor = others.map { manifest[$0].name }
    return line
  }

  /// The line of a target whose entry has left its list; `owner` is that of its output, which has been read if it is to be
  /// removed.
  static func gone(
    _ target: Target, _ gone: GoneEntry, _ owner: Ownership, in graph: TargetGraph
  ) -> PlannedTarget {
    var line = blank(target, in: graph)
    line.fetches = false
    let kept: FreshReason = owner == .missing ? .listGoneMissing : .listGone
    switch gone.fate {
    case .kept, .found: line.reason = .fresh(kept)
    case .removed:
      switch owner {
      // A file that cannot be read counts as edited.
      case .edited, .needsDigest: line.reason = .fresh(.listGoneEdited)
      case .ours(let record, _) where !record.isOnlyFound(as: target):
        (line.action, line.reason) = (.update, .stale(.listGone))
      case .ours, .missing, .unknown: line.reason = .fresh(kept)
      }
    case .suspect(let count, let recorded):
      (line.action, line.reason) = (.error, .stale(.listGone))
      line.failure = .listInvalid(source: gone.list, .suspect(gone: count, recorded: recorded))
    }
    return line
  }

  private static func blank(_ target: Target, in graph: TargetGraph) -> PlannedTarget {
    var needs: [TargetName] = []
    var seen: Set<TargetID> = []
    for edge in graph.dependencies(of: target.id) where edge.kind != .after {
      if seen.insert(edge.from).inserted { needs.append(graph.name(of: edge.from)) }
    }
    var line = PlannedTarget(
      id: target.id, name: target.name, output: target.output, action: .fresh, needs: needs)
    if case .target = target.source { line.fetches = false }
    return line
  }

  private static func changes(
    of names: [TargetName], _ target: Target, in graph: TargetGraph, since record: TargetRecord?
  ) -> [DependencyChange] {
    let waited = Set(names)
    return graph.dependencies(of: target.id).compactMap { edge in
      let name = graph.name(of: edge.from)
      guard edge.kind != .after, waited.contains(name) else { return nil }
      let was = record?.inputs.first {
        $0.kind == edge.kind && $0.name == name && $0.entry.hasSameBytes(as: edge.entry)
      }
      return DependencyChange(kind: edge.kind, name: name, was: was?.digest, now: nil)
    }
  }
}
