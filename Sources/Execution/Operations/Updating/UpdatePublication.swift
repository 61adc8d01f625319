import ContentPipeline
import LocalFiles
import StateStore
import SyncModel

/// Publishes all new outputs of an update, and its lock, or none of them, whenever a kill happens.
///
/// The order is the promise: everything is staged and synced; then one transaction of the state decides; then the
/// files get their names; then one transaction concludes. The next holder of the run lock completes what was
/// decided, or takes it back if that is impossible (docs/decisions/0005).
///
/// Folders come first: a published folder cannot be taken back, since its old files are gone. After the first one the
/// update can only be completed, by the next run if not by this one.
struct UpdatePublication {
  private let store: StateStore
  private let root: RootFolder
  private let folder: StateFolder
  private let withheldFolders: WithheldFolders
  private let trees: TreeOutputs
  /// What becomes of the folder outputs of the manifest.
  private let orders: [RelativePath: TreeOrder]

  /// `overwriting`: `--overwrite` was given to the update.
  init(
    _ store: StateStore, _ root: RootFolder, _ folder: StateFolder, _ manifest: Manifest,
    overwriting: Bool = false
  ) {
    self.store = store
    self.root = root
    self.folder = folder
    withheldFolders = WithheldFolders(folder, for: root)
    trees = TreeOutputs(root, statePath: folder.path)
    var orders: [RelativePath: TreeOrder] = [:]
    for target in manifest.targets {
      if let order = target.treeOrder(overwriting: overwriting) { orders[target.path] = order }
    }
    self.orders = orders
  }

  /// Why nothing was published.
  struct Fault: Error {
    var cause: FailureCause
    /// The output that failed; `nil` if none did.
    var output: RelativePath?
    /// Whether everything has its name nevertheless; only the disk may not have it yet.
    var isInPlace = false
  }

  /// How many files are open at once.
  private static let groupSize = 64

  /// Publishes `new` and the lock's `text`, which replaces `lockSeen`. After a throw everything is unchanged,
  /// unless the fault says that it is in place, or nothing could be taken back: then the next run completes it or
  /// takes it back.
  func perform(
    _ new: [WithheldShelf.New], lock text: String, over lockSeen: OutputObservation
  ) throws(Fault) {
    var decided: [WithheldOutput] = []
    for item in new.filter({ orders[$0.output.record.output] != nil })
      + new.filter({ orders[$0.output.record.output] == nil })
    {
      var output = item.output
      do throws(FailureCause) {
        output.over = try standing(item)
        try folder.requirePlace(for: output.record.output, root: root)
      } catch {
        throw Fault(cause: error, output: output.record.output)
      }
      decided.append(output)
    }
    do throws(FailureCause) { try publish(decided, lock: text, over: lockSeen) } catch {
      let isLeft = (try? isConcluded) == false && isInPlace(decided, lock: text)
      throw Fault(cause: error, isInPlace: isLeft)
    }
  }

  private func publish(
    _ decided: [WithheldOutput], lock text: String, over lockSeen: OutputObservation
  ) throws(FailureCause) {
    if decided.isEmpty {
      guard !LockWriter.isThere(text, lockSeen, root) else { return }
      return try LockWriter.write(text, over: lockSeen, folder, root)
    }
    let isSame = LockWriter.isThere(text, lockSeen, root)
    let lock = isSame ? nil : try LockWriter.stage(text, over: lockSeen, folder, root)
    try folder.syncWithheld()
    try apply(decided.map { .withhold($0) } + [.decide(Publication(lock: text))])
    try finish(decided, lock: text) { () throws(FailureCause) in
      if let lock { try LockWriter.publish(lock, over: lockSeen, root) }
    }
  }

  /// Completes, or takes back, an update that was decided and is incomplete.
  func complete(_ publication: Publication, _ withheld: [WithheldOutput]) throws(FailureCause) {
    let all = withheld.filter { $0.over != nil }
    let decided =
      all.filter { orders[$0.record.output] != nil } + all.filter { orders[$0.record.output] == nil }
    do throws(FailureCause) {
      try finish(decided, lock: publication.lock) { () throws(FailureCause) in
        let seen = root.observe(LockWriter.path)
        guard !LockWriter.isThere(publication.lock, seen, root) else { return }
        try LockWriter.write(publication.lock, over: seen, folder, root)
      }
    } catch {
      // It was taken back, so that this run finds everything as if the update had failed.
      guard try isConcluded else { throw error }
    }
  }

  private var isConcluded: Bool {
    get throws(FailureCause) {
      do throws(StateFault) { return try store.load().publication == nil } catch { throw error.asCause }
    }
  }

  /// The file in the output's place, unless it was edited since the target's verdict.
  private func standing(_ item: WithheldShelf.New) throws(FailureCause) -> OutputObservation {
    let path = item.output.record.output
    let now = observe(path)
    if now == item.over || now == .missing { return now }
    if case .unusable(let fault) = now { throw .outputUnwritable(path: path.text, fault) }
    // Its times also change with another of its names.
    guard let digest = item.overDigest, sha256(of: path) == digest else {
      if orders[path] != nil, let edits = trees.edits(in: path) { throw edits }
      throw .outputModified(expected: item.overDigest ?? HexDigest(bytes: []), actual: sha256(of: path))
    }
    return now
  }

  private func finish(
    _ decided: [WithheldOutput], lock text: String, putLock: () throws(FailureCause) -> Void
  ) throws(FailureCause) {
    var changes: [StateChange] = []
    do throws(FailureCause) {
      var rest = decided[...]
      while !rest.isEmpty {
        let group = rest.prefix(Self.groupSize)
        rest = rest.dropFirst(Self.groupSize)
        for output in group { if let record = try place(output) { changes.append(.commit(record)) } }
      }
      try root.syncFolders(of: decided.map(\.record.output))
      try putLock()
    } catch {
      // The lock is the last to get its name. Without its outputs it would demand a fetch of what was fetched.
      let hasFolder = decided.contains { orders[$0.record.output] != nil && isPublished($0) }
      if !hasFolder, !isInPlace(decided, lock: text) { try? takeBack(decided) }
      throw error
    }
    // If this cannot be recorded, everything is still published, and the next run records it.
    guard
      (try? apply(
        changes + decided.map { .unwithhold(output: $0.record.output) } + [.concludePublication])) != nil
    else { return }
    for output in decided {
      folder.removeWithheld(key(output))
      if orders[output.record.output] != nil { withheldFolders.remove(output.record.output) }
    }
  }

  /// Whether all outputs and the lock have their names, so that only a sync of them can have failed.
  private func isInPlace(_ decided: [WithheldOutput], lock text: String) -> Bool {
    guard LockWriter.isThere(text, root.observe(LockWriter.path), root) else { return false }
    return decided.allSatisfy(isPublished)
  }

  /// Whether the new output is in its place.
  private func isPublished(_ output: WithheldOutput) -> Bool {
    guard case .file(let there) = observe(output.record.output) else { return false }
    return isNew(there, output)
  }

  /// What is at an output's path, a file or a folder.
  private func observe(_ path: RelativePath) -> OutputObservation {
    orders[path].map { trees.observe(path, keepingEdits: $0.keepsEdits) } ?? root.observe(path)
  }

  /// Publishes one output. Returns its record; `nil` if its new bytes are lost.
  private func place(_ output: WithheldOutput) throws(FailureCause) -> TargetRecord? {
    var record = output.record
    let path = record.output
    guard let over = output.over else { return nil }
    if let order = orders[path] { return try placeFolder(output, order) }
    let now = root.observe(path)
    guard try folder.withheldSignature(key(output))?.inode == record.signature.inode else {
      // It was published before, or removed from the state folder.
      guard case .file(let there) = now, isNew(there, output) else { return nil }
      record.signature = there
      return record
    }
    if case .file(let there) = now, now != over, !isReplaceable(there, output) {
      // Put in place as a copy before, or edited since it was decided. An edit stays, and shows as one.
      if sha256(of: path) == record.content.sha256 { record.signature = there }
      return record
    }
    let (staged, mode, modified) = try folder.stageWithheld(key(output), as: path, root: root)
    record.signature = try staged.publish(
      over: now, mode: mode, modified: output.keepsTime ? modified : nil, expectedDigest: nil)
    return record
  }

  private func placeFolder(
    _ output: WithheldOutput, _ order: TreeOrder
  ) throws(FailureCause) -> TargetRecord? {
    var record = output.record
    let now = observe(record.output)
    if case .file(let there) = now, isNew(there, output) {
      record.signature = there
      return record
    }
    var order = order
    // The update that decided this was told to replace the edits that are still there.
    if now == output.over, !order.keepsEdits, trees.edits(in: record.output) != nil {
      order.edits = .overwrite
    }
    guard let signature = try withheldFolders.publish(record.output, order, over: now) else { return nil }
    record.signature = signature
    return record
  }

  /// Whether the file in the output's place is the new one.
  private func isNew(_ there: FileSignature, _ output: WithheldOutput) -> Bool {
    there.inode == output.record.signature.inode
      || sha256(of: output.record.output) == output.record.content.sha256
  }

  /// Whether a file with other times than decided is the file to replace.
  private func isReplaceable(_ there: FileSignature, _ output: WithheldOutput) -> Bool {
    guard case .file(let expected)? = output.over else { return false }
    return there.size == expected.size && there.inode == expected.inode
      && there.modified == expected.modified
  }

  /// Undoes the publication, and keeps the new outputs for the next update.
  private func takeBack(_ decided: [WithheldOutput]) throws(FailureCause) {
    var changes: [StateChange] = []
    for output in decided.reversed() {
      let path = output.record.output
      var output = output
      let replacedFile = if case .file? = output.over { true } else { false }
      output.over = nil
      if orders[path] == nil, case .file(let there) = root.observe(path),
        there.inode == output.record.signature.inode
      {
        try folder.takeBack(key(output), from: path, replacedFile: replacedFile, root: root)
      }
      if let signature = try folder.withheldSignature(key(output)) { output.record.signature = signature }
      changes.append(.withhold(output))
    }
    try root.syncFolders(of: decided.map(\.record.output))
    try folder.syncWithheld()
    try apply(changes + [.concludePublication])
  }

  private func key(_ output: WithheldOutput) -> String { WithheldShelf.key(of: output.record.output) }

  private func sha256(of path: RelativePath) -> HexDigest? {
    if let order = orders[path] {
      let identity = try? trees.identity(
        of: path, keepingEdits: order.keepsEdits, mayWrite: true, isInVain: { false })
      return identity?.sha256
    }
    return (try? ContentDigest.of(try root.open(path), [.sha256]))?.sha256
  }

  private func apply(_ changes: [StateChange]) throws(FailureCause) {
    do throws(StateFault) { try store.apply(changes) } catch { throw error.asCause }
  }
}
