import LocalFiles
import Planning
import StateStore
import SyncModel

/// Puts a compiled snapshot together while a run looks at its targets, and drops it once one is not simply fresh.
struct SnapshotMaker {
  private let workspace: Workspace
  /// The state as it was before it was read; what is recorded later makes the snapshot worthless.
  private let state: StateIdentity
  /// `nil` once it is known that there will be none.
  private var snapshot: CompiledSnapshot?
  private var count = 0

  /// `nil` where none can be made; for a run that holds the lock and has not read the state yet.
  init?(_ workspace: Workspace) {
    guard let premises = workspace.premises, workspace.lockSeen == .missing,
      let state = StateIdentity(folder: workspace.statePath)
    else {
      return nil
    }
    self.workspace = workspace
    self.state = state
    snapshot = CompiledSnapshot(premises)
  }

  /// Takes in a target that has ended; `standing` is what its verdict rests on, where it stands by itself.
  mutating func add(_ result: TargetResult, _ standing: Standing?) {
    guard result.outcome == .fresh, let standing else {
      snapshot = nil
      return
    }
    snapshot?.add(result.name, output: result.output, standing.signature, in: standing.period)
    count += 1
  }

  /// Writes it if the run has seen every target of the manifest; nothing may be recorded any more.
  func write() {
    guard let snapshot, count == workspace.manifest.targets.count else { return }
    SnapshotFile.write(snapshot, of: state, in: workspace.statePath)
  }
}
