package import SyncModel

/// What a run would do (contract, section 7).
package struct Plan: Sendable, Equatable {
  /// In an order in which they could run.
  package var targets: [PlannedTarget]

  /// `targets` must be in an order in which they could run: each after its dependencies.
  package init(targets: [PlannedTarget]) { self.targets = targets }

  /// How many targets have this action.
  package func count(_ action: PlanAction) -> Int { targets.count { $0.action == action } }

  /// The targets that are stale, may be, could not be checked, or have moved past the lock.
  package var outdated: Plan { Plan(targets: targets.filter { $0.action != .fresh || $0.lock == .moved }) }

  /// Whether something is stale, or may be.
  package var hasWork: Bool { targets.contains { $0.action == .update || $0.action == .maybe } }
}

/// What a run would do with one target.
package enum PlanAction: String, Sendable, CaseIterable {
  /// The words of the contract, section 7: `maybe` depends on what other targets become, `error` means that a check
  /// failed.
  case update, fresh, maybe, error
}

/// One target's line in a plan.
package struct PlannedTarget: Sendable, Equatable {
  /// The target's index.
  package var id: TargetID
  /// The target's name.
  package var name: TargetName
  /// The file or folder that the target produces.
  package var output: Output
  /// What a run would do.
  package var action: PlanAction
  /// `nil` for ``PlanAction/error``, unless the target's entry has left its list, and for a ``PlanAction/maybe`` that only
  /// `--offline` keeps from being known.
  package var reason: Reason?
  /// For ``PlanAction/maybe``: the dependencies that would be updated first.
  package var waitsFor: [TargetName]
  /// The names in `needs` and `from`, and those that `verify` reads.
  package var needs: [TargetName]
  /// The size of a download, by the server; `nil` if unknown.
  package var bytes: Int64?
  /// Where a run would take its bytes from; `nil` if that is not known, and without a cache.
  package var from: BodyOrigin?
  /// Whether a cache may have them, by what only a run will know.
  package var mayTakeCached = false
  /// The digests of the file that the server sent when it was asked.
  package var serverDigests: [ServerDigest] = []
  /// Whether its bytes come from a URL; `false` with `from`.
  package var fetches = true
  /// Set exactly for ``PlanAction/error``.
  package var failure: FailureCause? {
    get { failures.first }
    set { failures = newValue.map { [$0] } ?? [] }
  }
  /// Why the server did not tell how much there is to download; a run may fail by it, and by `.offline` it does.
  package var unmeasured: FailureCause? {
    get { refusals.first }
    set { refusals = newValue.map { [$0] } ?? [] }
  }
  /// How its list compares with the record; `nil` without `list`, and where the list does not tell.
  package var list: ListStanding?
  /// `nil` for a target that is not pinned.
  package var lock: LockStanding?
  /// Whether the source of a pinned target was asked whether it has moved, and has answered.
  package var knowsMoved = false
  /// Whether nothing shows that its output was made here of its source, so that an update makes it again.
  package var isUnproven = false
  /// How the source differs from the lock; set exactly for ``LockStanding/moved``.
  package var moved: StaleReason? {
    get { moves.first }
    set { moves = newValue.map { [$0] } ?? [] }
  }

  /// What would happen to the files of a folder; `nil` if nothing is known, and for a file.
  package var tree: TreeForecast? {
    get { trees.first }
    set { trees = newValue.map { [$0] } ?? [] }
  }

  // Lists of one at the most: nearly no target has one, and all together are half of what a plan holds of it.
  private var trees: [TreeForecast] = []
  private var failures: [FailureCause] = []
  private var refusals: [FailureCause] = []
  private var moves: [StaleReason] = []

  /// `failure` must be set exactly for ``PlanAction/error``; `bytes` is `nil` if the size is unknown.
  package init(
    id: TargetID, name: TargetName, output: Output, action: PlanAction, reason: Reason? = nil,
    waitsFor: [TargetName] = [], needs: [TargetName] = [], bytes: Int64? = nil, failure: FailureCause? = nil
  ) {
    self.id = id
    self.name = name
    self.output = output
    self.action = action
    self.reason = reason
    self.waitsFor = waitsFor
    self.needs = needs
    self.bytes = bytes
    self.failure = failure
  }
}

extension PlannedTarget {
  /// Whether its entry has left the list, and its output would be removed.
  package var isRemoved: Bool { self.action == .update && self.reason == .stale(.listGone) }
}

extension Plan {
  /// The targets that have moved past the lock, and those that are made of one of them.
  package func moved(in manifest: Manifest) -> Set<TargetName> {
    var moved: Set<TargetName> = []
    for line in targets {
      if case .target(let source) = manifest[line.id].source, moved.contains(manifest[source].name) {
        moved.insert(line.name)
      } else if line.lock == .moved {
        moved.insert(line.name)
      }
    }
    return moved
  }

  /// The plan in which nothing that has left a list is removed, if some target fails: that waits until all else has succeeded.
  package var withoutVainRemovals: Plan {
    guard targets.contains(where: { $0.action == .error }) else { return self }
    var plan = self
    for (index, line) in targets.enumerated() where line.isRemoved {
      (plan.targets[index].action, plan.targets[index].reason) = (.fresh, .fresh(.listGone))
    }
    return plan
  }
}
