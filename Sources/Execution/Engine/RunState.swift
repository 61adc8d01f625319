import SyncModel

/// Where one run keeps its results: the committer, the bodies, and what earlier runs left.
final class RunState {
  /// `nil` in a plan.
  let committer: Committer?
  /// `nil` in a plan, and if nothing can be written.
  let bodies: (any BodyStore)?
  /// Why ``bodies`` is `nil` in a run.
  let fault: FailureCause
  /// The folder outputs of a root on a disk; `nil` in memory.
  let trees: TreeOutputs?
  /// What waits for an `update` or for a unit; `nil` if this run withholds nothing.
  let withheld: WithheldShelf?
  /// The user's caches; `nil` without one.
  let caches: RunCaches?
  /// Partial downloads that earlier runs left, listed once so that targets without one cost nothing.
  private lazy var partialKeys = bodies?.partialKeys ?? []

  /// Without arguments for a plan, which writes nothing.
  init(
    committer: Committer? = nil, bodies: (any BodyStore)? = nil, trees: TreeOutputs? = nil,
    withheld: WithheldShelf? = nil, caches: RunCaches? = nil,
    fault: FailureCause = .internalError("a plan was asked to write")
  ) {
    self.committer = committer
    self.bodies = bodies
    self.trees = trees
    self.withheld = withheld
    self.caches = caches
    self.fault = fault
  }

  /// The key of the target's partial download, if there may be one.
  func partialKey(of target: Target) -> String? {
    guard !partialKeys.isEmpty else { return nil }
    let key = BodyIntake.key(of: target)
    return partialKeys.contains(key) ? key : nil
  }

  /// A partial download that is older than this, 30 days, is kept only for a target that can use it.
  static func unusedPartialMoment(at now: Timestamp) -> Timestamp {
    Timestamp(seconds: now.seconds - 30 * 86_400)
  }

  /// Removes old partial downloads that no target of `manifest` will resume.
  func removeForeignPartials(_ manifest: Manifest, by clock: any RunClock) {
    guard let bodies, !partialKeys.isEmpty else { return }
    bodies.removePartials(
      unusedSince: Self.unusedPartialMoment(at: clock.now()),
      except: Set(manifest.targets.map(BodyIntake.key)))
  }

  /// Removes an old partial download of a target that has become fresh without it.
  func removeOldPartial(of target: Target, by clock: any RunClock) {
    guard let bodies, let key = partialKey(of: target) else { return }
    bodies.removePartial(key, ifUnusedSince: Self.unusedPartialMoment(at: clock.now()))
  }
}
