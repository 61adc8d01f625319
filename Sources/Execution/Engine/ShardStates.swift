import LocalFiles
import StateStore
package import SyncModel

/// Where a shard keeps its state.
package struct ShardPlace: Sendable {
  /// Whose it is.
  package var shard: Shard
  /// The state folder of a plain run, below which all shards have theirs.
  package var basePath: String
  /// The outputs of the targets that it runs.
  package var outputs: [RelativePath]
}

extension Workspace {
  /// Has the operations use the state of `shard`, which runs `selection`.
  package mutating func enter(_ shard: Shard, running selection: [TargetID]) {
    self.shard = ShardPlace(
      shard: shard, basePath: statePath, outputs: selection.map { manifest[$0].path })
    statePath = ShardFolders.path(of: shard, in: statePath)
    manifest.hosts = manifest.hosts.share(of: shard.total)
    // Its facts would be of a part of the manifest only.
    basis = nil
  }

  /// The other state folders that may know something of this workspace's outputs: for a plain run those of all shards,
  /// for a shard the plain one and those of all other shards. Also of its own division, since a target moves to another
  /// shard with its URL, what needs it, its size or the selection.
  fileprivate var otherStatePaths: [String] {
    let base = shard?.basePath ?? statePath
    let shards = ShardFolders.all(in: base)
    let others = shards.filter { $0 != shard?.shard }.map { ShardFolders.path(of: $0, in: base) }
    return shard == nil ? others : [base] + others
  }
}

/// What a run takes over of the states of others (contract, section 13); `report` gets a warning for one that cannot be
/// used.
struct ShardStates {
  private let workspace: Workspace
  /// The state folders of others.
  let paths: [String]

  /// Finds them as they are now.
  init(_ workspace: Workspace) {
    self.workspace = workspace
    paths = workspace.otherStatePaths
  }

  /// The same with what other states know of the outputs; nothing is written.
  func completed(
    _ snapshot: StateSnapshot, _ report: (RunEvent) -> Void
  ) throws(FailureCause) -> StateSnapshot {
    guard !paths.isEmpty else { return snapshot }
    var known = KnownState(snapshot)
    for path in paths { _ = known.learn(from: try state(at: path, report).snapshot) }
    return known.snapshot
  }

  /// Stores in `folder`, the workspace's own, what other states know; the run lock is held.
  ///
  /// A plain run completes what shards were about to publish, and then removes their states: it is the only one at work.
  /// What it could not read whole stays as it is: a later version, or the same one once it can, knows what is in it.
  func takeOver(
    into folder: StateFolder, _ root: RootFolder, _ report: (RunEvent) -> Void
  ) throws(FailureCause) {
    guard !paths.isEmpty else { return }
    var read: Set<String> = []
    if workspace.shard == nil { for path in paths { try complete(path, root) } }
    do throws(StateFault) {
      var store: StateStore?
      var known: KnownState?
      var changes: [StateChange] = []
      for path in paths {
        guard let opened = try? state(at: path, report), opened.isWhole else { continue }
        read.insert(path)
        let other = opened.snapshot
        guard !other.records.isEmpty || !other.pending.isEmpty else { continue }
        if store == nil {
          let own = try StateStore.open(folder: folder.path, access: .readWrite)
          known = KnownState(try own.load(only: workspace.shard?.outputs))
          store = own
        }
        let news = known?.learn(from: other) ?? []
        try copyListings(of: news, from: path, to: folder.path)
        changes += news
      }
      try store?.apply(changes)
    } catch {
      // Then they stay for the next run, and this one only reads them.
      return
    }
    if workspace.shard == nil {
      for shard in ShardFolders.all(in: folder.path)
      where read.contains(ShardFolders.path(of: shard, in: folder.path)) {
        ShardFolders.clear(shard, in: folder.path)
      }
    }
  }

  /// Completes folders and publications in which a shard was interrupted.
  private func complete(_ path: String, _ root: RootFolder) throws(FailureCause) {
    // Most have nothing of the kind, and need not be opened. What is wrong is told when it is taken over.
    guard let state = try? state(at: path, { _ in }), state.isWhole else { return }
    let folder = try StateFolder(path: path)
    try RootLease.completeFolders(workspace, root, folder)
    if state.snapshot.publication != nil {
      var opened = try OpenState(path, isWritable: true, { _ in })
      try opened.completePublication(root, folder, workspace.manifest)
    }
    folder.clearStaging(root: root)
  }

  private func state(at path: String, _ report: (RunEvent) -> Void) throws(FailureCause) -> OpenState {
    var state = try OpenState(reading: path, only: workspace.shard?.outputs, report)
    if let outputs = workspace.shard?.outputs { state.keepPending(of: outputs) }
    return state
  }

  private func copyListings(of news: [StateChange], from path: String, to own: String) throws(StateFault) {
    guard StateFolder.exists(path: path + "/trees") else { return }
    let (source, shelf) = (TreeShelf(stateFolder: path), TreeShelf(stateFolder: own))
    for case .commit(let record) in news {
      let key = TreeOutputs.key(of: record.output)
      let listings = source.read(key)
      if listings.count > 1 { try shelf.write(listings[0], as: key, isNext: true) }
      if let listing = listings.last { try shelf.write(listing, as: key) }
    }
  }
}
