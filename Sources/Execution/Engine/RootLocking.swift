import LocalFiles
import StateStore
import SyncModel
import Transfer

/// Takes the locks that a run needs: its own state's, and for a shard first its part of the plain one.
struct RootLocking {
  let workspace: Workspace
  /// Whether to wait for another run.
  let waits: Bool
  let stop: StopSignal
  /// Its time goes on while the run waits.
  let policy: NetworkPolicy?
  let clock: any RunClock

  /// Whether another run was waited for.
  private(set) var hasWaited = false
  /// Whether a lock was tried: what fails then concerns the lock, and not the folder.
  private(set) var hasBegun = false

  /// How long a shard that is not to wait does so for another one that completes what a plain run was killed at.
  private static let patience = Duration.seconds(2)
  /// How often a shard tries to complete what a plain run was killed at.
  private static let mostTries = 20

  /// `stop` ends the wait for another run.
  init(_ workspace: Workspace, _ settings: RunSettings, stop: StopSignal, clock: any RunClock) {
    self.workspace = workspace
    waits = settings.course.waitsForLock
    policy = settings.policy?.network
    self.stop = stop
    self.clock = clock
  }

  /// The lock of the run's own state.
  mutating func acquire(_ folder: StateFolder, report: (RunEvent) -> Void) throws(RunFault) -> RunLock {
    try acquire(folder, sharedFor: nil, report)
  }

  /// The part of the plain state's lock that a shard holds, once no plain run is at work; `nil` for a plain run.
  ///
  /// A plain run that was killed while it put outputs in place is completed first.
  mutating func share(_ root: RootFolder, report: (RunEvent) -> Void) throws(RunFault) -> RunLock? {
    guard let place = workspace.shard else { return nil }
    let base = try RootLease.opened { () throws(FailureCause) in
      try StateFolder(path: place.basePath, mayBeLink: workspace.place.stateMayBeLink)
    }
    let purpose = place.purpose
    var shared: RunLock? = try share(base, purpose, report)
    // While it is shared no plain run is at work, so that one that is not at its end was killed. Whoever is alone
    // completes it; others that look at the same moment try again.
    for _ in 0..<Self.mostTries {
      guard try RootLease.opened({ () throws(FailureCause) in try isInterrupted(base) }) else { break }
      shared = nil
      let isDone = try RootLease.opened { () throws(FailureCause) in
        let alone = try RunLock.acquire(
          in: base, wait: false, now: clock.now(), onWait: { _ in }, isCancelled: { stop.isStopped })
        guard alone != nil else { return false }
        _ = try RootLease.complete(base, root, workspace, report)
        withExtendedLifetime(alone) {}
        return true
      }
      shared = try share(base, purpose, report)
      if isDone { break }
    }
    return shared
  }

  private mutating func share(
    _ base: StateFolder, _ purpose: String, _ report: (RunEvent) -> Void
  ) throws(RunFault) -> RunLock {
    // Another shard may complete it at this moment, which is no run that holds the root.
    if !waits, try RootLease.opened({ () throws(FailureCause) in try isInterrupted(base) }) {
      hasBegun = true
      let deadline = clock.monotonic() + Self.patience
      let lock = try RootLease.opened { () throws(FailureCause) in
        try RunLock.acquire(
          in: base, sharedFor: purpose, wait: true, now: clock.now(), onWait: { _ in },
          isCancelled: { stop.isStopped || clock.monotonic() >= deadline })
      }
      if let lock { return lock }
    }
    return try acquire(base, sharedFor: purpose, report)
  }

  private mutating func acquire(
    _ folder: StateFolder, sharedFor purpose: String?, _ report: (RunEvent) -> Void
  ) throws(RunFault) -> RunLock {
    hasBegun = true
    var hasWaited = false
    defer { if hasWaited { self.hasWaited = true } }
    let lock = try RootLease.opened { () throws(FailureCause) in
      try RunLock.acquire(
        in: folder, sharedFor: purpose, wait: waits, now: clock.now(),
        onWait: {
          hasWaited = true
          report(.waitingForLock(holder: $0))
        },
        isCancelled: { stop.isStopped || policy?.timeLeft == .zero })
    }
    if let lock { return lock }
    if stop.isStopped { throw .interrupted }
    if waits, let reached = policy?.reached { throw .unusable(.budgetExceeded(reached)) }
    throw .busy(holder: RunLock.holder(in: folder) ?? "another run")
  }

  /// Whether a plain run was killed while it put outputs in place, which a shard would take for edits.
  private func isInterrupted(_ folder: StateFolder) throws(FailureCause) -> Bool {
    guard StagedTree.journals(in: folder).isEmpty else { return true }
    guard StateFolder.exists(path: folder.path + "/withheld") else { return false }
    return try OpenState(reading: folder.path, only: [], { _ in }).snapshot.publication != nil
  }
}
