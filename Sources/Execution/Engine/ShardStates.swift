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
  /// The digest of the partition; `nil` if it makes what belongs to other shards, too.
  package var partition: String?
  /// A digest of the names and tags that were selected; `nil` if all targets are.
  package var selectionMark: String?

  /// What it shares the root for. Shards of another total, or with other names or tags, could make the same target, and
  /// have another purpose.
  var purpose: String {
    "\(shard.division.rawValue) of \(shard.total) shards"
      + (selectionMark.map { ", names or tags \($0)" } ?? "")
  }
}

extension Workspace {
  /// Has the operations use the state of `shard`, which runs `targets`.
  ///
  /// - partition: the partition's digest; `nil` if the shard makes what belongs to other shards, too.
  /// - selectionMark: a digest of the names and tags that were selected; `nil` if all targets are.
  package mutating func enter(
    _ shard: Shard, running targets: [TargetID], partition: String?, selectionMark: String?
  ) {
    self.shard = ShardPlace(
      shard: shard, basePath: place.state, outputs: targets.map { manifest[$0].path }, partition: partition,
      selectionMark: selectionMark)
    place.state = ShardFolders.path(of: shard, in: place.state)
    // Its facts would be of a part of the manifest only.
    basis = nil
  }
}

/// What a run takes over of the states of others (contract, section 13); `report` gets a warning for one that cannot be
/// used.
///
/// A plain run has to know the states of all shards. A shard has to know the plain one and that of seed, and those of
/// other shards as long as they may have something about its outputs: also of its own division, since a target moves to
/// another shard with its URL, what needs it, its size or the selection. ``ShardNote`` tells when that is over.
struct ShardStates {
  private let workspace: Workspace
  /// The shards whose states may have to be read; the plain state comes before them, if this is a shard's run.
  private let shards: [Shard]
  private let base: String

  /// Finds them as they are now.
  init(_ workspace: Workspace) {
    self.workspace = workspace
    base = workspace.shard?.basePath ?? workspace.place.state
    shards = ShardFolders.all(in: base).filter { $0 != workspace.shard?.shard }
  }

  /// The state folders of others, whether or not they have to be read.
  var paths: [String] { (workspace.shard == nil ? [] : [base]) + shards.map(path) }

  /// All that other states know, of which a shard has only what concerns its outputs; nothing for a plain run.
  func everything() -> [StateSnapshot] {
    guard workspace.shard != nil else { return [] }
    return paths.compactMap { path in (try? OpenState(reading: path) { _ in })?.snapshot }
  }

  private func path(_ shard: Shard) -> String { ShardFolders.path(of: shard, in: base) }

  /// The files that are below the root, which is opened only if two states differ.
  private static func signatures(in place: RootPlace) -> (RelativePath) -> FileSignature? {
    var root: RootFolder?
    return { output in
      root = root ?? (try? place.openRoot())
      guard case .file(let signature)? = root?.observe(output) else { return nil }
      return signature
    }
  }

  /// The same with what other states know of the outputs; nothing is written.
  func completed(
    _ snapshot: StateSnapshot, _ report: (RunEvent) -> Void
  ) throws(FailureCause) -> StateSnapshot {
    guard !paths.isEmpty else { return snapshot }
    var known = KnownState(
      snapshot, isPlain: workspace.shard == nil, present: Self.signatures(in: workspace.place))
    var note: ShardNote?
    if let place = workspace.shard {
      note = newNote(of: place, continuing: ShardNote.read(place.shard, in: base))
      let plain = try state(at: base, report)
      _ = known.learn(from: plain.snapshot, isPlain: true)
    }
    for shard in shards where !isKnown(shard, ShardNote.read(shard, in: base), by: note) {
      let other = try state(at: path(shard), report)
      _ = known.learn(from: other.snapshot)
    }
    return known.snapshot
  }

  /// Stores in `folder`, the workspace's own, what other states know; the run lock is held.
  ///
  /// A plain run completes what shards were about to publish, and then removes their states: it is the only one at work.
  /// What it could not read whole stays as it is: a later version, or the same one once it can, knows what is in it.
  func takeOver(
    into folder: StateFolder, _ root: RootFolder, _ report: (RunEvent) -> Void
  ) throws(FailureCause) {
    guard let place = workspace.shard else { return try takeOverAll(into: folder, root, report) }
    let old = ShardNote.read(place.shard, in: base)
    var note = newNote(of: place, continuing: old)
    // Before anything is stored: from now on the state may have what other shards need.
    try note.write(in: folder, over: old)
    let written = note
    var news = Takeover(place.outputs, folder.path, present: Self.signatures(in: workspace.place))
    if let state = try? state(at: base, report), state.isWhole {
      guard news.learn(from: state, at: base, isPlain: true) else { return }
    }
    for shard in shards {
      // Before its state: what is stored later is of the note's series, or of another one.
      let other = ShardNote.read(shard, in: base)
      guard !isKnown(shard, other, by: note), let state = try? state(at: path(shard), report), state.isWhole
      else { continue }
      guard news.learn(from: state, at: path(shard)) else { return }
      // The state of the seed is read in each run.
      if shard.part != .seed { note.take(other, of: shard.folderName) }
    }
    if news.isStored() { try note.write(in: folder, over: written) }
  }

  private func takeOverAll(
    into folder: StateFolder, _ root: RootFolder, _ report: (RunEvent) -> Void
  ) throws(FailureCause) {
    var read: [Shard] = []
    var news = Takeover(nil, folder.path, present: Self.signatures(in: workspace.place))
    for shard in shards {
      guard let state = try completed(shard, root, report) else { continue }
      guard news.learn(from: state, at: path(shard)) else { return }
      read.append(shard)
    }
    guard news.isStored() else { return }
    for shard in read { ShardFolders.clear(shard, in: base) }
  }

  /// The note that a run of `place` has to leave.
  private func newNote(of place: ShardPlace, continuing old: ShardNote?) -> ShardNote {
    ShardNote(
      continuing: old, partition: place.partition, outputs: place.outputs,
      isNew: StateStore.isNew(in: workspace.place.state))
  }

  /// Whether nothing can be had of the state of `shard`, which has the note `other`.
  private func isKnown(_ shard: Shard, _ other: ShardNote?, by note: ShardNote?) -> Bool {
    // What seed has made is of use to all.
    guard shard.part != .seed, let note, let other else { return false }
    return note.needsNothing(of: other, in: shard.folderName)
  }

  /// The state of a shard, in which folders and publications are completed where it was interrupted; `nil` if it cannot
  /// be read whole.
  private func completed(
    _ shard: Shard, _ root: RootFolder, _ report: (RunEvent) -> Void
  ) throws(FailureCause) -> OpenState? {
    let path = path(shard)
    guard let state = try? state(at: path, report), state.isWhole else { return nil }
    let folder = try StateFolder(path: path)
    defer { folder.clearStaging(root: root) }
    // A plain run goes on from its own downloads.
    PartialDownload.removeUnused(
      since: RunState.unusedPartialMoment(at: MachineClock().now()), except: [], in: folder)
    guard state.snapshot.publication == nil else {
      return try RootLease.complete(folder, root, workspace, report)
    }
    try RootLease.completeFolders(workspace, root, folder)
    return state
  }

  private func state(at path: String, _ report: (RunEvent) -> Void) throws(FailureCause) -> OpenState {
    var state = try OpenState(reading: path, only: workspace.shard?.outputs, report)
    if let outputs = workspace.shard?.outputs { state.keepPending(of: outputs) }
    return state
  }
}

/// What is taken over, until it is stored; if that fails, this run only reads it, and the next one tries again.
private struct Takeover {
  /// Whose records are wanted; `nil` for all.
  private let outputs: [RelativePath]?
  private let folder: String
  private let present: (RelativePath) -> FileSignature?
  /// Opened for the first state that has something.
  private var store: StateStore?
  private var known: KnownState?
  private var changes: [StateChange] = []

  /// `present`: see ``KnownState``.
  init(
    _ outputs: [RelativePath]?, _ folder: String, present: @escaping (RelativePath) -> FileSignature?
  ) {
    self.outputs = outputs
    self.folder = folder
    self.present = present
  }

  /// Takes what `state` knows, which is that at `path`, of plain runs or of a shard; `false` if that fails.
  mutating func learn(from state: OpenState, at path: String, isPlain: Bool = false) -> Bool {
    let other = state.snapshot
    guard !other.records.isEmpty || !other.pending.isEmpty else { return true }
    do throws(StateFault) {
      if store == nil {
        let own = try StateStore.open(folder: folder, access: .readWrite)
        known = KnownState(try own.load(only: outputs), isPlain: outputs == nil, present: present)
        store = own
      }
      let news = known?.learn(from: other, isPlain: isPlain) ?? []
      try copyListings(of: news, from: path)
      changes += news
      return true
    } catch {
      return false
    }
  }

  /// Stores all of it; `false` if that fails.
  func isStored() -> Bool {
    do throws(StateFault) {
      try store?.apply(changes)
      return true
    } catch {
      return false
    }
  }

  private func copyListings(of news: [StateChange], from path: String) throws(StateFault) {
    guard StateFolder.exists(path: path + "/trees") else { return }
    let (source, shelf) = (TreeShelf(stateFolder: path), TreeShelf(stateFolder: folder))
    for change in news {
      switch change {
      case .commit(let record):
        let key = TreeOutputs.key(of: record.output)
        let listings = source.read(key)
        if listings.count > 1 { try shelf.write(listings[0], as: key, isNext: true) }
        if let listing = listings.last { try shelf.write(listing, as: key) }
      case .intend(let record):
        // It may be in place already: then the next listing is the folder's.
        let key = TreeOutputs.key(of: record.output)
        if let next = source.read(key).first, next != shelf.read(key).last {
          try shelf.write(next, as: key, isNext: true)
        }
      default: break
      }
    }
  }
}
