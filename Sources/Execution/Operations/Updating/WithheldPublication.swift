import ContentPipeline
import LocalFiles
import StateStore
import SyncModel

/// Publishes withheld outputs in one step, whenever a kill happens: all of an update's with its lock, or a unit's.
///
/// The order is the promise: everything is staged and synced; then one transaction of the state decides; then the
/// files get their names; then one transaction concludes. The next holder of the run lock completes what was
/// decided, or takes it back if that is impossible (docs/decisions/0005 and 0030).
///
/// Folders come first: a published folder cannot be taken back, since its old files are gone. After the first one the
/// publication can only be completed, by the next run if not by this one.
struct WithheldPublication: Sendable {
  private let root: RootFolder
  private let folder: StateFolder
  private let withheldFolders: WithheldFolders
  private let trees: TreeOutputs
  /// What becomes of the folder outputs of the manifest.
  private var orders: [RelativePath: TreeOrder]
  /// The modes that the manifest sets now, which may be others than when the files were withheld.
  private let modes: [RelativePath: UInt16]
  private let manifest: Manifest
  /// Whether what is withheld is known from a state only, which a checkout may have brought: then its bytes are digested.
  private var isStored = false

  /// `settings` are those of the run, or `nil` for what an earlier run was about to publish.
  init(_ root: RootFolder, _ folder: StateFolder, _ manifest: Manifest, _ settings: RunSettings? = nil) {
    self.root = root
    self.folder = folder
    self.manifest = manifest
    withheldFolders = WithheldFolders(folder, for: root)
    trees = TreeOutputs(root, statePath: folder.path)
    var orders: [RelativePath: TreeOrder] = [:]
    var modes: [RelativePath: UInt16] = [:]
    // Whoever completes the publication of an untrusted manifest may have another policy.
    let places = settings?.policy?.places ?? (manifest.policy == nil ? nil : ProtectedPlaces())
    for target in manifest.targets {
      let order = target.treeOrder(overwriting: settings?.overrides.overwritesEdits == true, places)
      if let order { orders[target.path] = order }
      if let mode = target.output.mode { modes[target.path] = mode }
    }
    (self.orders, self.modes) = (orders, modes)
  }

  /// Why nothing was published.
  struct Fault: Error {
    var cause: FailureCause
    /// The output that failed; `nil` if none did.
    var output: RelativePath?
    /// Whether everything has its name nevertheless; only the disk may not have it yet.
    var isInPlace = false
    /// Whether it is decided and not concluded, so that the next run completes it or takes it back.
    var isOpen = false
  }

  /// How many files are open at once.
  private static let groupSize = 64

  /// Publishes `contents`, and the lock if there is a new one. After a throw everything is unchanged, unless the fault
  /// says that it is in place or open. Returns whether it is concluded; if not, the next run records it.
  @discardableResult
  func perform(
    _ contents: WithheldShelf.Contents, lock: NewLock?, in store: any RecordStore
  ) throws(Fault) -> Bool {
    var decided: [WithheldOutput] = []
    for item in foldersFirst(contents.new, { $0.output.record.output }) {
      var output = item.output
      do throws(FailureCause) {
        try requireWhole(output)
        let now = try standing(item)
        output.over = now
        try requireFree(output, over: now)
      } catch {
        throw Fault(cause: error, output: output.record.output)
      }
      decided.append(output)
    }
    do throws(FailureCause) { try requireRoom(decided) } catch {
      throw Fault(cause: error, output: decided.map(\.record.output).first { error.isAbout($0) })
    }
    let isConcluded: Bool
    do throws(FailureCause) { isConcluded = try publish(decided, lock, in: store) } catch {
      let isOpen = (try? self.isConcluded(in: store)) != true
      throw Fault(
        cause: error, output: decided.map(\.record.output).first { error.isAbout($0) },
        isInPlace: isOpen && isInPlace(decided, lock: lock?.text), isOpen: isOpen)
    }
    for retiming in contents.retimings {
      var record = retiming.record
      let set = try? root.setModified(record.output, retiming.time, ifStill: record.signature)
      guard let set else { continue }
      record.signature = set
      try? store.apply([.commit(record)])
    }
    return isConcluded
  }

  /// Once it is decided, and a part of it is in place as a copy, it can only be completed.
  private func requireRoom(_ decided: [WithheldOutput]) throws(FailureCause) {
    let files = decided.filter { orders[$0.record.output] == nil }
    try folder.requireRoom(
      for: files.map { output in
        let replaced = if case .file(let old)? = output.over { old.size } else { Int64(0) }
        return (output.record.output, output.record.content.size, replaced)
      }, root: root)
  }

  /// Nothing is decided if there is no new output: the lock alone changes in one step.
  private func publish(
    _ decided: [WithheldOutput], _ lock: NewLock?, in store: any RecordStore
  ) throws(FailureCause) -> Bool {
    let changed = lock.flatMap { LockWriter.isThere($0.text, $0.over, root) ? nil : $0 }
    if decided.isEmpty {
      if let changed {
        try LockWriter.write(changed.text, over: changed.over, digest: changed.digest, folder, root)
      }
      return true
    }
    var staged: (StagedFile, NewLock)?
    if let changed {
      staged = (try LockWriter.stage(changed.text, over: changed.over, folder, root), changed)
    }
    try folder.settleWithheld()
    let publication = Publication(lock: lock?.text, replaced: lock?.replaced)
    try apply(decided.map { .withhold($0) } + [.decide(publication)], to: store)
    let fault = try finish(decided, lock: lock?.text, in: store) { () throws(FailureCause) in
      if let (file, new) = staged {
        try LockWriter.publish(file, over: new.over, digest: new.digest, root)
      }
    }
    return fault == nil
  }

  private func foldersFirst<Item>(_ items: [Item], _ output: (Item) -> RelativePath) -> [Item] {
    items.filter { orders[output($0)] != nil } + items.filter { orders[output($0)] == nil }
  }

  /// Completes, or takes back, what was decided by this run or an earlier one and is not concluded.
  func completeOpen(in store: any RecordStore) throws(FailureCause) {
    let snapshot: StateSnapshot
    do throws(StateFault) { snapshot = try store.load(only: nil) } catch { throw error.asCause }
    guard let publication = snapshot.publication else { return }
    if let fault = try complete(publication, snapshot.withheld, in: store) { throw fault }
  }

  /// Completes, or takes back, a publication that was decided and is incomplete. Returns why everything is in place
  /// and not concluded; `nil` if it is.
  ///
  /// Outputs that no target of the manifest may have are dropped: a checkout can bring a state that names any. Under a policy so
  /// are all that no target has.
  @discardableResult
  func complete(
    _ publication: Publication, _ withheld: [WithheldOutput], in store: any RecordStore
  ) throws(FailureCause) -> FailureCause? {
    let outputs = Set(manifest.targets.map(\.path))
    let (known, strange) = Self.parted(withheld.filter { $0.over != nil }) { output in
      // A list or a value may be unknown now, of which the target was made.
      outputs.contains(output.record.output)
        || !manifest.isUntrusted && !manifest.reserves(output.record.output)
    }
    if !strange.isEmpty {
      try apply(strange.map { .unwithhold(output: $0.record.output) }, to: store)
      for output in strange { folder.removeWithheld(key(output)) }
    }
    var stored = self
    stored.isStored = true
    for output in known where !outputs.contains(output.record.output) {
      let path = output.record.output
      if withheldFolders.knows(path) { stored.orders[path] = TreeOrder(rules: TreeRules(), edits: .refuse) }
    }
    return try stored.completeStored(known, publication, in: store)
  }

  private static func parted(
    _ outputs: [WithheldOutput], by isFirst: (WithheldOutput) -> Bool
  ) -> ([WithheldOutput], [WithheldOutput]) {
    (outputs.filter(isFirst), outputs.filter { !isFirst($0) })
  }

  private func completeStored(
    _ outputs: [WithheldOutput], _ publication: Publication, in store: any RecordStore
  ) throws(FailureCause) -> FailureCause? {
    let decided = foldersFirst(outputs) { $0.record.output }
    var lock = publication.lock
    do throws(FailureCause) {
      let canTakeBack = !hasBegunFolder(decided) && !hasCopy(decided)
      // The lock that another program has written stays, and so do the old outputs, if they can.
      if isLockChanged(since: publication) {
        if canTakeBack {
          try takeBack(decided, in: store)
          return nil
        }
        lock = nil
      }
      // Found later, it could leave one folder new and another one old.
      if canTakeBack, decided.contains(where: isRefused) {
        try takeBack(decided, in: store)
        return nil
      }
      return try finish(decided, lock: lock, in: store) { () throws(FailureCause) in
        guard let lock else { return }
        let seen = root.observe(LockWriter.path)
        guard !LockWriter.isThere(lock, seen, root) else { return }
        try LockWriter.write(lock, over: seen, digest: publication.replaced?.sha256, folder, root)
      }
    } catch {
      // It was taken back, so that this run finds everything as if the publication had failed.
      guard try isConcluded(in: store) else { throw error }
      return nil
    }
  }

  /// Whether the lock is neither the new one nor the one that it was to replace.
  private func isLockChanged(since publication: Publication) -> Bool {
    guard let new = publication.lock, let old = publication.replaced else { return false }
    let seen = root.observe(LockWriter.path)
    guard !LockWriter.isThere(new, seen, root) else { return false }
    return old == .nothing ? seen != .missing : LockWriter.digest(root) != old.sha256
  }

  private func isConcluded(in store: any RecordStore) throws(FailureCause) -> Bool {
    do throws(StateFault) { return try store.load(only: nil).publication == nil } catch {
      throw error.asCause
    }
  }

  /// Throws if the new output is not as it was withheld: decided, it would count as lost, and its target as updated.
  private func requireWhole(_ output: WithheldOutput) throws(FailureCause) {
    let (path, record) = (output.record.output, output.record)
    let isWhole =
      orders[path] == nil
      ? try folder.withheldSignature(key(output))?.inode == record.signature.inode
      : try withheldFolders.listing(path)?.signature == record.signature && withheldFolders.hasFiles(path)
    guard isWhole else { throw .withheldLost(path) }
  }

  /// Whether since the decision something of the user's has come into a folder's way, or left it that was to stay.
  private func isRefused(_ output: WithheldOutput) -> Bool {
    let (path, now) = (output.record.output, observe(output.record.output))
    guard let order = order(of: output, over: now) else { return false }
    do throws(FailureCause) { try withheldFolders.requireFree(path, order, over: now) } catch {
      switch error {
      case .filesModified, .archive, .outputUnwritable(_, .isFolder), .outputUnwritable(_, .isProtected),
        .outputUnwritable(_, .isFile), .outputUnwritable(_, .isLink), .outputUnwritable(_, .changedMeanwhile):
        return true
      // The publication itself will say it, or it passes.
      default: return false
      }
    }
    return false
  }

  /// Throws if something is in the output's way, where `now` is. It is asked before the decision, since a folder that is in
  /// its place cannot be taken back when the next one is refused.
  private func requireFree(_ output: WithheldOutput, over now: OutputObservation) throws(FailureCause) {
    let path = output.record.output
    try folder.requirePlace(for: path, root: root)
    if case .unusable(let fault) = now { throw .outputUnwritable(path: path.text, fault) }
    if let order = orders[path] { try withheldFolders.requireFree(path, order, over: now) }
  }

  /// How the folder takes the place of `now`; `nil` for a file.
  private func order(of output: WithheldOutput, over now: OutputObservation) -> TreeOrder? {
    guard var order = orders[output.record.output] else { return nil }
    // The run that decided this was told to replace the edits that are still there.
    if now == output.over, !order.keepsEdits, trees.edits(in: output.record.output) != nil {
      order.edits = .overwrite
    }
    return order
  }

  /// The file in the output's place, unless it was edited since the target's verdict.
  private func standing(_ item: WithheldShelf.New) throws(FailureCause) -> OutputObservation {
    let path = item.output.record.output
    let now = observe(path)
    if now == item.over || now.isMissing { return now }
    if case .unusable(let fault) = now { throw .outputUnwritable(path: path.text, fault) }
    // Its times also change with another of its names.
    guard let digest = item.overDigest, sha256(of: path) == digest else {
      guard orders[path] == nil else {
        // Without edits it was replaced, or its listing cannot be read.
        throw trees.edits(in: path) ?? .notExamined(path)
      }
      throw .outputModified(expected: item.overDigest, actual: sha256(of: path))
    }
    return now
  }

  /// Returns why it could not be concluded: then everything is in place, and the next run records it.
  private func finish(
    _ decided: [WithheldOutput], lock text: String?, in store: any RecordStore,
    putLock: () throws(FailureCause) -> Void
  ) throws(FailureCause) -> FailureCause? {
    var changes: [StateChange] = []
    var unsynced: FailureCause?
    do throws(FailureCause) {
      try root.makeFolders(of: decided.map(\.record.output))
      var rest = decided[...]
      while !rest.isEmpty {
        let group = rest.prefix(Self.groupSize)
        rest = rest.dropFirst(Self.groupSize)
        for output in group {
          do throws(FailureCause) {
            if let record = try place(output) { changes.append(.commit(record)) }
          } catch {
            // A folder that is in its place cannot be taken back, so the others follow it.
            guard orders[output.record.output] != nil, isPublished(output) else { throw error }
            unsynced = unsynced ?? error
          }
        }
      }
      try root.syncFolders(of: decided.map(\.record.output))
      // An exchange is on the disk when both of its folders are.
      try folder.syncWithheld()
      try putLock()
      if let unsynced { throw unsynced }
    } catch {
      // The lock is the last to get its name. Without its outputs it would demand a fetch of what was fetched.
      if !hasBegunFolder(decided), !hasCopy(decided), !isInPlace(decided, lock: text) {
        try? takeBack(decided, in: store)
      }
      throw error
    }
    let conclusion = decided.map { StateChange.unwithhold(output: $0.record.output) } + [.concludePublication]
    do throws(FailureCause) { try apply(changes + conclusion, to: store) } catch { return error }
    for output in decided {
      folder.removeWithheld(key(output))
      if orders[output.record.output] != nil { withheldFolders.remove(output.record.output) }
    }
    return nil
  }

  /// Whether a folder is published, or its files are being replaced: neither can be taken back.
  private func hasBegunFolder(_ decided: [WithheldOutput]) -> Bool {
    let journals = StagedTree.journals(in: folder)
    return decided.contains { output in
      let path = output.record.output
      guard orders[path] != nil else { return false }
      return journals.contains(TreeOutputs.key(of: path)) || isPublished(output)
    }
  }

  /// Whether an output is in its place as a copy, since the state folder is on another device: the old file is gone.
  private func hasCopy(_ decided: [WithheldOutput]) -> Bool {
    decided.contains { output in
      guard orders[output.record.output] == nil, case .file(let there) = root.observe(output.record.output),
        .file(there) != output.over, there.inode != output.record.signature.inode,
        there.size == output.record.content.size
      else { return false }
      return sha256(of: output.record.output) == output.record.content.sha256
    }
  }

  /// Whether all outputs and the lock have their names, so that only a sync of them can have failed.
  private func isInPlace(_ decided: [WithheldOutput], lock text: String?) -> Bool {
    if let text, !LockWriter.isThere(text, root.observe(LockWriter.path), root) { return false }
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
    if orders[path] != nil { return try placeFolder(output) }
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
    if isStored {
      let file = try folder.readWithheld(key(output), of: path)
      // Bytes other than the recorded ones are lost ones.
      guard try ContentDigest.of(file, [.sha256]).sha256 == record.content.sha256 else { return nil }
    }
    let (staged, mode, modified) = try folder.stageWithheld(key(output), as: path, root: root)
    staged.demandsMode = modes[path] != nil
    record.signature = try staged.publish(
      over: now, mode: modes[path] ?? mode, modified: output.keepsTime ? modified : nil, expectedDigest: nil)
    return record
  }

  private func placeFolder(_ output: WithheldOutput) throws(FailureCause) -> TargetRecord? {
    var record = output.record
    // If this run has failed to replace its files one by one before, that is completed first.
    try StagedTree.finishJournal(
      of: record.output, key: TreeOutputs.key(of: record.output), in: folder, root: root)
    let now = observe(record.output)
    // A folder that got its place before has nothing left to be put there.
    if case .unusable(let fault) = now, try withheldFolders.listing(record.output) != nil {
      throw .outputUnwritable(path: record.output.text, fault)
    }
    if case .file(let there) = now, isNew(there, output) {
      record.signature = there
      return record
    }
    guard let order = order(of: output, over: now) else { return nil }
    do throws(FailureCause) {
      guard let signature = try withheldFolders.publish(record.output, order, over: now) else { return nil }
      record.signature = signature
    } catch {
      // A file that was to stay has left the old folder, so the new one can never be whole: it is given up as a lost one. By
      // the old record, or by the lock, the next run makes it anew.
      guard isStored, case .outputUnwritable(_, .changedMeanwhile) = error else {
        throw error.withPaths(in: record.output)
      }
      return nil
    }
    return record
  }

  /// Whether the file or folder in the output's place is the new one.
  private func isNew(_ there: FileSignature, _ output: WithheldOutput) -> Bool {
    if let order = orders[output.record.output], order.rules.keepsModes || order.rules.keepsTimes {
      // The same bytes need not be the same modes and times: the listing that describes the folder tells. Its number is
      // random.
      let number = output.record.signature.inode
      guard there.inode != number else { return true }
      let listing = trees.look(output.record.output, keepingEdits: order.keepsEdits).1
      guard listing?.table.signature.inode == number else { return false }
    }
    return !isStored && there.inode == output.record.signature.inode
      || sha256(of: output.record.output) == output.record.content.sha256
  }

  /// Whether a file with other times than decided is the file to replace.
  private func isReplaceable(_ there: FileSignature, _ output: WithheldOutput) -> Bool {
    guard case .file(let expected)? = output.over else { return false }
    return there.size == expected.size && there.inode == expected.inode
      && there.modified == expected.modified
  }

  /// Undoes the publication, and keeps the new outputs for the next run. What was edited since it was put in place stays.
  private func takeBack(_ decided: [WithheldOutput], in store: any RecordStore) throws(FailureCause) {
    var changes: [StateChange] = []
    for output in decided.reversed() {
      let path = output.record.output
      var output = output
      let replacedFile = if case .file? = output.over { true } else { false }
      output.over = nil
      if orders[path] == nil {
        if case .file(let there) = root.observe(path), there.inode == output.record.signature.inode,
          sha256(of: path) == output.record.content.sha256
        {
          try folder.takeBack(key(output), from: path, replacedFile: replacedFile, root: root)
        }
        // Where it was not taken back, the replaced file has its name.
        let held = try? ContentDigest.of(try folder.readWithheld(key(output), of: path), [.sha256]).sha256
        guard let held, held == output.record.content.sha256 else {
          folder.removeWithheld(key(output))
          changes.append(.unwithhold(output: path))
          continue
        }
      }
      if let signature = try folder.withheldSignature(key(output)) { output.record.signature = signature }
      changes.append(.withhold(output))
    }
    try root.syncFolders(of: decided.map(\.record.output))
    try folder.syncWithheld()
    try apply(changes + [.concludePublication], to: store)
  }

  private func key(_ output: WithheldOutput) -> String { WithheldShelf.key(of: output.record.output) }

  private func sha256(of path: RelativePath) -> HexDigest? {
    if let order = orders[path] {
      let reading = try? trees.read(
        path, keepingEdits: order.keepsEdits, mayWrite: true, isInVain: { false })
      return reading?.sha256
    }
    return (try? ContentDigest.of(try root.open(path), [.sha256]))?.sha256
  }

  private func apply(_ changes: [StateChange], to store: any RecordStore) throws(FailureCause) {
    do throws(StateFault) { try store.apply(changes) } catch { throw error.asCause }
  }
}
