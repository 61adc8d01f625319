import LocalFiles
import StateStore
import SyncModel

/// Bodies in the files of a state folder, for outputs in a root.
final class FolderBodies: BodyStore {
  let root: RootFolder
  let folder: StateFolder
  /// The listings of folder outputs.
  let shelf: TreeShelf
  let trees: TreeOutputs

  /// `trees` are the folder outputs as the run has found them.
  init(_ folder: StateFolder, for root: RootFolder, _ trees: TreeOutputs? = nil) {
    self.folder = folder
    self.trees = trees ?? TreeOutputs(root, statePath: folder.path)
    shelf = TreeShelf(stateFolder: folder.path)
    self.root = root
  }

  func body(
    _ order: BodyOrder, size: Int64?, resumableBy facts: PartialFacts?
  ) throws(FailureCause) -> any TargetBody {
    try BodyIntake(order, size: size, resumableBy: facts, in: self)
  }

  /// An empty folder that is to become `output`.
  func stagedTree(_ output: RelativePath, _ order: TreeOrder) throws(FailureCause) -> StagedTree {
    try StagedTree(
      StagedTree.Order(
        output: output, key: TreeOutputs.key(of: output), rules: order.rules,
        old: trees.listing(of: output, keepingEdits: order.keepsEdits), edits: order.edits,
        places: order.places),
      in: folder, root: root)
  }

  func heldFile(for output: RelativePath) -> (any HeldFile)? {
    guard let file = try? StagedFile.create(in: folder, for: output, root: root), !file.isOnDisk else {
      return nil
    }
    return FinishedFile(staged: file, partial: nil, in: self)
  }

  func sync(_ bodies: [any FinishedBody]) throws(FailureCause) -> Set<UInt64> {
    var files: [StagedFile] = []
    files.reserveCapacity(bodies.count)
    for body in bodies {
      // Every body of this store is in a file; whatever else came would have to be durable, too.
      if let staged = (body as? FinishedFile)?.staged { files.append(staged) } else { try body.sync() }
    }
    return try StagedFile.syncAll(files, in: folder)
  }

  var isFull: FailureCause { folder.isFull }

  var partialKeys: Set<String> { PartialDownload.keys(in: folder) }

  func kept(_ key: String) -> (any KeptBody)? {
    PartialDownload.open(key: key, in: folder).map { KeptPartial($0, in: self) }
  }

  func removePartials(unusedSince moment: Timestamp, except keys: Set<String>) {
    PartialDownload.removeUnused(since: moment, except: keys, in: folder)
  }

  func removePartial(_ key: String, ifUnusedSince moment: Timestamp) {
    PartialDownload.remove(key, ifUnusedSince: moment, in: folder)
  }
}

/// A partial download that an earlier run left.
private final class KeptPartial: KeptBody {
  private let partial: PartialDownload
  private let bodies: FolderBodies

  init(_ partial: PartialDownload, in bodies: FolderBodies) {
    self.partial = partial
    self.bodies = bodies
  }

  var facts: PartialFacts { partial.facts }

  func restore(_ order: BodyOrder) throws(FailureCause) -> any TargetBody {
    try BodyIntake.restoring(partial, order, in: bodies)
  }
}

/// A complete body: in its own file, which may still wait in memory; in a complete partial download; or in both, if
/// the file was decompressed from the kept download.
final class FinishedFile: HeldFile, @unchecked Sendable {
  /// Always there once it was prepared.
  private(set) var staged: StagedFile?
  private let partial: PartialDownload?
  private let isWithheld: Bool
  private let demandsMode: Bool
  private let bodies: FolderBodies

  /// See ``BodyOrder`` for `isWithheld` and `demandsMode`.
  init(
    staged: StagedFile?, partial: PartialDownload?, isWithheld: Bool = false, demandsMode: Bool = true,
    in bodies: FolderBodies
  ) {
    self.staged = staged
    self.partial = partial
    self.isWithheld = isWithheld
    self.demandsMode = demandsMode
    self.bodies = bodies
  }

  func fill(_ bytes: [UInt8]) throws(FailureCause) { try existing().write(whole: bytes) }

  func prepare(
    for output: RelativePath, over expected: OutputObservation, mode: UInt16?, modified: Timestamp?
  ) throws(FailureCause) -> FileSignature {
    if staged == nil {
      staged = try partial?.intoStaged(
        for: output, root: bodies.root, in: bodies.folder, withheld: isWithheld)
    }
    let file = try existing()
    file.demandsMode = demandsMode
    return try file.prepare(over: expected, mode: mode, modified: modified)
  }

  private func existing() throws(FailureCause) -> StagedFile {
    guard let staged else { throw .internalError("a body without a file") }
    return staged
  }

  func sync() throws(FailureCause) { try staged?.sync() }

  func publish(
    over expected: OutputObservation, mode: UInt16?, modified: Timestamp?, expectedDigest: HexDigest?,
    in group: PublishedGroup
  ) throws(FailureCause) -> FileSignature {
    try existing().publish(
      over: expected, mode: mode, modified: modified, expectedDigest: expectedDigest, in: group)
  }

  func withhold(as key: String) throws(FailureCause) -> FileSignature { try existing().withhold(as: key) }

  func dropPartial() { partial?.discard() }

  func giveUp(_ download: ContentIdentity?) -> Int64 {
    staged?.discard()
    guard let partial, let download else { return 0 }
    return partial.keepWhole(download)
  }
}
