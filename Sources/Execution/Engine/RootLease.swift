import LocalFiles
import StateStore
import SyncModel

/// A root and its state: the only way to open a root.
///
/// ``look(at:report:)`` writes nothing; ``hold(_:_:stop:seesLock:clock:report:prepared:)`` takes the run lock, tidies
/// up what killed runs left, and completes a publication that was decided.
final class RootLease {
  let root: RootFolder
  /// What is recorded; nothing if it cannot be read.
  let snapshot: StateSnapshot
  /// `nil` if nothing can be recorded, and for a look.
  let store: StateStore?
  /// Why ``store`` is `nil` though there should be one.
  let storeFault: StateFault?
  /// `nil` if nothing can be written, and for a look.
  let folder: StateFolder?
  /// Why ``folder`` is `nil`.
  let fault: FailureCause
  /// The folder outputs.
  let trees: TreeOutputs
  /// What ``snapshot`` lacks of other states.
  private let others: ShardStates
  /// Held as long as this object lives. A shard shares the plain lock with others, so that no plain run comes between.
  private let locks: (own: RunLock?, shared: RunLock?)

  /// Whether a state was set aside when it was opened, which was told.
  let hasToldSetAside: Bool

  /// Whether the root is held, so that records and outputs may be changed.
  var isHeld: Bool { locks.own != nil }

  private init(
    _ root: RootFolder, _ statePath: String, _ state: OpenState, folder: StateFolder? = nil,
    fault: FailureCause, lock: RunLock? = nil, sharing sharedLock: RunLock? = nil, others: ShardStates,
    isLook: Bool = false
  ) {
    self.root = root
    self.others = others
    // A run has taken over the listings of its own outputs.
    trees = TreeOutputs(
      root, statePath: statePath, others: isLook ? others.paths : [], earlier: others.paths)
    snapshot = state.snapshot
    store = state.store
    storeFault = state.fault
    self.folder = folder
    self.fault = fault
    locks = (lock, sharedLock)
    hasToldSetAside = state.store?.setAside != nil
  }

  /// What is recorded, to be found.
  var records: RecordIndex { RecordIndex(snapshot, others: others.everything) }

  /// Opens the root of `workspace` to read it; `report` gets a warning if the state cannot be used.
  static func look(at workspace: Workspace, report: (RunEvent) -> Void) throws(FailureCause) -> RootLease {
    var state = try OpenState(reading: workspace.place.state, report)
    let others = ShardStates(workspace)
    try state.complete(others, report)
    return RootLease(
      try workspace.openRoot(), workspace.place.state,
      state,
      fault: .internalError("a look was asked to write"), others: others, isLook: true)
  }

  /// How often a command that only looks begins anew because a run was at work meanwhile.
  static let mostLooks = 3

  /// Whether a run has recorded something of these outputs since: then they only look edited.
  func isOutdated(of outputs: [RelativePath], in workspace: Workspace) -> Bool {
    guard !outputs.isEmpty, let now = try? RootLease.look(at: workspace, report: { _ in }) else {
      return false
    }
    let outputs = Set(outputs)
    func known(_ snapshot: StateSnapshot) -> [TargetRecord] {
      (snapshot.records + snapshot.pending).filter { outputs.contains($0.output) }
    }
    return known(now.snapshot) != known(snapshot)
  }

  /// Holds the root of `workspace`; a root where nothing can be written is opened to read it.
  ///
  /// - Parameters:
  ///   - seesLock: whether the lock file must be what it was when it was read.
  ///   - prepared: called once the root is held, before the state is read.
  ///
  /// Throws ``RunFault/manifestChanged`` only after another run was waited for.
  static func hold(
    _ workspace: Workspace, _ settings: RunSettings, stop: StopSignal, seesLock: Bool, clock: any RunClock,
    report: (RunEvent) -> Void,
    prepared: (RootFolder, StateFolder) throws(RunFault) -> Void = { _, _ in }
  ) throws(RunFault) -> RootLease {
    let root = try opened { () throws(FailureCause) in
      try workspace.openRoot()
    }
    var folder: StateFolder?
    var fault = FailureCause.internalError("no state folder")
    var (lock, sharedLock): (RunLock?, RunLock?)
    var locking = RootLocking(workspace, settings, stop: stop, clock: clock)
    do throws(RunFault) {
      // Before a shard's own folder is made, which a plain run removes.
      sharedLock = try locking.share(root, report: report)
      folder = try opened { () throws(FailureCause) in
        if let base = workspace.shard?.basePath { try ShardFolders.requireNoLink(in: base) }
        return try StateFolder(
          path: workspace.place.state,
          mayBeLink: workspace.place.stateMayBeLink && workspace.shard == nil)
      }
      if let folder { lock = try locking.acquire(folder, report: report) }
    } catch {
      // If nothing can be written, there is nothing to lock, and perhaps nothing to do.
      guard case .unusable(let cause) = error, !locking.hasBegun || cause.isRefusedWriting else {
        throw error
      }
      (folder, fault) = (nil, cause)
    }
    if locking.hasWaited, workspace.files?.haveChanged() == true { throw .manifestChanged }
    func requireLockFile() throws(RunFault) {
      guard !seesLock || root.observe(LockWriter.path) == workspace.lockSeen else { throw .lockFileChanged }
    }
    try requireLockFile()
    let others = ShardStates(workspace)
    if lock != nil, let folder {
      try opened { () throws(FailureCause) in
        try completeFolders(workspace, root, folder)
        try others.takeOver(into: folder, root, report)
      }
      try prepared(root, folder)
    }
    let state = try opened { () throws(FailureCause) in
      var state = try OpenState(
        workspace.place.state, isWritable: folder != nil, only: workspace.open?.outputs, report)
      if let folder, state.snapshot.publication != nil {
        try state.completePublication(root, folder, workspace.manifest, report)
      }
      if state.store == nil { try state.complete(others, report) }
      return state
    }
    // Completing an update may have changed the lock file.
    try requireLockFile()
    return RootLease(
      root, workspace.place.state, state, folder: folder, fault: fault, lock: lock, sharing: sharedLock,
      others: others)
  }

  /// Completes the folders and the publication at which the run of another state was interrupted, and returns that state.
  /// Its lock is held.
  static func complete(
    _ folder: StateFolder, _ root: RootFolder, _ workspace: Workspace, _ report: (RunEvent) -> Void
  ) throws(FailureCause) -> OpenState {
    try completeFolders(workspace, root, folder)
    var state = try OpenState(folder.path, isWritable: true, report)
    try state.completePublication(root, folder, workspace.manifest, report)
    return state
  }

  /// Completes folders whose publication by a journal was interrupted.
  static func completeFolders(
    _ workspace: Workspace, _ root: RootFolder, _ folder: StateFolder
  ) throws(FailureCause) {
    StagedTree.clearUnfinished(in: folder)
    guard !StagedTree.journals(in: folder).isEmpty else { return }
    for target in workspace.manifest.targets where target.output.isFolder {
      try StagedTree.finishJournal(
        of: target.path, key: TreeOutputs.key(of: target.path), in: folder, root: root)
    }
  }

  static func opened<Value>(_ open: () throws(FailureCause) -> Value) throws(RunFault) -> Value {
    do throws(FailureCause) { return try open() } catch { throw .unusable(error) }
  }

  /// Requires that records can be written, for commands that do nothing else.
  func requireStore() throws(RunFault) {
    guard let store else { throw .unusable(storeFault?.asCause ?? fault) }
    do throws(StateFault) { try store.requireWritable() } catch { throw .unusable(error.asCause) }
  }

  /// Stores `changes`, all or nothing, for commands that change records without fetching.
  func apply(_ changes: [StateChange]) throws(RunFault) {
    guard let store else { throw .unusable(storeFault?.asCause ?? fault) }
    do throws(StateFault) { try store.apply(changes) } catch { throw .unusable(error.asCause) }
  }
}
