import Planning
package import SyncModel

/// The targets of a `lock` or an `update`.
package struct LockTask: Sendable {
  /// Those to be brought up to date, in an order in which they could run.
  package let selection: [TargetID]
  /// Those that take what their sources have now; the others stay at their locked versions.
  package let unpinned: Set<TargetID>
  /// Whether it concerns all targets, those of lists too that are not known.
  package let isWhole: Bool

  /// For `lock`: every target; those that the lock contradicts are locked anew.
  package static func lock(_ workspace: Workspace) -> LockTask {
    let contradicted =
      workspace.lock.map { LockReview($0, workspace.manifest).contradictions.map(\.id) } ?? []
    return LockTask(
      workspace, takingNew: Set(contradicted), bringing: workspace.manifest.targets.map(\.id), isWhole: true)
  }

  /// For `update`: the named targets and those published together with them, or with `nil` all, and everything made
  /// from them, with the entries of lists that are others by their values.
  package static func update(_ named: Set<TargetID>?, in workspace: Workspace) -> LockTask {
    let relisted = LockRenewal.targets(
      of: LockRenewal.relisted(since: workspace.lock, in: workspace.manifest), in: workspace.manifest)
    let chosen = named.map { workspace.graph.units.withFellows($0.union(relisted)) }
    return LockTask(
      workspace, takingNew: chosen ?? Set(workspace.manifest.targets.map(\.id)), isWhole: named == nil)
  }

  private init(
    _ workspace: Workspace, takingNew unpinned: Set<TargetID>, bringing others: [TargetID] = [], isWhole: Bool
  ) {
    self.isWhole = isWhole
    let users = Set(workspace.manifest.values.flatMap(\.users))
    // A new value may have given them another source.
    let moved =
      users.isEmpty
      ? [] : workspace.lock.map { LockReview($0, workspace.manifest).contradictions.map(\.id) } ?? []
    self.unpinned = LockRenewal.withDerived(unpinned.union(users.intersection(moved)), in: workspace.graph)
    selection = Selection.closure(of: others + self.unpinned, in: workspace.graph)
  }

  /// The target that has the digest which the target `id` should have had, at `step` or by its rule, if it stays at its
  /// locked version.
  package func lockedList(of id: TargetID, step: Int?, in workspace: Workspace) -> TargetName? {
    let target = workspace.manifest[id]
    var source = target.digestRule?.expected
    if let step {
      guard case .verifyDigest(_, let expected) = target.steps[step] else { return nil }
      source = expected
    }
    guard unpinned.contains(id), case .entry(let list, _)? = source, !unpinned.contains(list) else {
      return nil
    }
    let name = workspace.manifest[list].name
    return workspace.lock?.pins[name] == nil ? nil : name
  }
}
