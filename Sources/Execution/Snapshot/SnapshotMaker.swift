import LocalFiles
import Planning
import StateStore
import SyncModel
import Transfer

/// Puts a compiled snapshot together while a run looks at its targets, and drops it once one is not simply fresh.
struct SnapshotMaker {
  private let workspace: Workspace
  /// The state as it was before it was read.
  private let state: StateIdentity
  /// `nil` once it is known that there will be none.
  private var snapshot: CompiledSnapshot?
  private var count = 0

  /// `nil` if none can be made; for a run that holds the lock and has not read the state yet.
  init?(_ workspace: Workspace) {
    guard let premises = workspace.premises, workspace.lockSeen == .missing,
      let state = StateIdentity(folder: workspace.statePath)
    else {
      return nil
    }
    self.workspace = workspace
    self.state = state
    snapshot = CompiledSnapshot(premises, outline: workspace.outline)
  }

  /// Takes an ended target: the facts behind its verdict, if it holds by itself or was confirmed by its source.
  mutating func add(_ result: TargetResult, _ standing: Standing?, _ revalidation: Revalidation? = nil) {
    guard snapshot != nil else { return }
    count += 1
    if result.outcome == .fresh, let standing {
      snapshot?.add(result.name, output: result.output, standing.signature, in: standing.period)
    } else if result.outcome == .fresh, let revalidation,
      let question = PlainQuestion(
        url: revalidation.url, conditions: revalidation.conditions, hosts: workspace.manifest.hosts)
    {
      snapshot?.add(
        result.name, output: result.output, revalidation.signature, in: .always, asking: question)
    } else {
      snapshot = nil
    }
  }

  /// Writes it if the run has processed every target of the manifest; nothing may be recorded afterwards.
  func write() {
    guard let snapshot, count == workspace.manifest.targets.count else { return }
    // For confirmed sources the run has recorded only the time, on which no verdict here depends; if it has asked
    // no source it has recorded nothing, or the snapshot is invalid.
    guard let state = snapshot.hosts.isEmpty ? state : StateIdentity(folder: workspace.statePath) else {
      return
    }
    SnapshotFile.write(snapshot, of: state, in: workspace.statePath)
  }
}
