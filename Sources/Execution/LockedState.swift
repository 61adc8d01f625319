import LocalFiles
import StateStore
import SyncModel

/// The root and its state, held by the run lock, for commands that change records without fetching.
final class LockedState {
  let root: RootFolder
  let records: RecordIndex
  private let store: StateStore
  private let lock: RunLock

  init(
    _ workspace: Workspace, waits: Bool, stop: StopSignal, report: (RunEvent) -> Void
  ) throws(RunFault) {
    let folder: StateFolder
    do throws(FailureCause) {
      root = try RootFolder(path: workspace.rootPath)
      folder = try StateFolder(path: workspace.statePath, mayBeLink: workspace.stateMayBeLink)
    } catch {
      throw .unusable(error)
    }
    lock = try Locking.acquire(folder, waits: waits, stop: stop, report: report)
    do throws(FailureCause) {
      var state = try OpenState(workspace.statePath, isWritable: true, report)
      guard let opened = state.store else { throw state.fault?.asCause ?? .internalError("no state") }
      if state.snapshot.publication != nil { try state.completePublication(root, folder) }
      store = opened
      records = RecordIndex(state.snapshot)
    } catch {
      throw .unusable(error)
    }
  }

  /// Stores `changes`, all or nothing.
  func apply(_ changes: [StateChange]) throws(RunFault) {
    do throws(StateFault) { try store.apply(changes) } catch { throw .unusable(error.asCause) }
  }
}

extension StateFault {
  /// The same fault in the words of a target's failure.
  var asCause: FailureCause {
    if isWithoutLibrary { return isOutOfDescriptors ? .tooFewDescriptors : .internalError(text) }
    if isDiskFull { return .diskFull(path: path) }
    return .outputUnwritable(
      path: path, .system(errno: systemError, text: "the state cannot be written: \(text)"))
  }
}
