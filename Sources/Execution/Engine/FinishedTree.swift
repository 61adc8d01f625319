import LocalFiles
import StateStore
import SyncModel

/// A folder that was unpacked beside its output, and the download that it was made from.
final class FinishedTree: FinishedBody, @unchecked Sendable {
  private let tree: StagedTree
  private let partial: PartialDownload?
  private let shelf: TreeShelf
  private let output: RelativePath
  /// What is known of the folder in place; `nil` if that was compared before.
  private let outputs: TreeOutputs?
  /// Puts it aside; `nil` if it is to be put in place at once.
  private let withheld: WithheldFolders?

  init(
    _ tree: StagedTree, for output: RelativePath, partial: PartialDownload?, shelf: TreeShelf,
    outputs: TreeOutputs? = nil, withheld: WithheldFolders? = nil
  ) {
    self.tree = tree
    self.outputs = outputs
    self.withheld = withheld
    self.output = output
    self.partial = partial
    self.shelf = shelf
  }

  func prepare(
    for output: RelativePath, over expected: OutputObservation, mode: UInt16?, modified: Timestamp?
  ) throws(FailureCause) -> FileSignature {
    let listing = try tree.prepare()
    if let edited = outputs?.notedEdits(in: output, unlike: listing.entries) { throw edited }
    return listing.signature
  }

  var isBegun: Bool { tree.isBegun }

  func sync() throws(FailureCause) { try tree.sync() }

  func publish(
    over expected: OutputObservation, mode: UInt16?, modified: Timestamp?, expectedDigest: HexDigest?,
    in group: PublishedGroup
  ) throws(FailureCause) -> FileSignature { try publish(over: expected) }

  /// The same: a folder has no mode or time of its own, and its edits are found by its listing.
  func publish(over expected: OutputObservation) throws(FailureCause) -> FileSignature {
    let (key, shelf) = (TreeOutputs.key(of: output), shelf)
    try keepOld(key)
    let listing = try tree.publish(over: expected, sharing: TreeOutputs.withHelp) {
      next throws(FailureCause) in
      do throws(StateFault) { try shelf.write(next, as: key, isNext: true) } catch { throw error.asCause }
    }
    // The folder is in place: if its listing cannot be stored as it is now, the next run reads the files.
    try? shelf.write(listing, as: key, isNext: true)
    try? shelf.promote(key)
    return listing.signature
  }

  /// Makes sure that the listing of the folder in place is stored as the present one, since the next one is replaced.
  private func keepOld(_ key: String) throws(FailureCause) {
    let known = shelf.firstSignature(key)
    guard let old = tree.order.old else {
      // If something is known but did not reach the tree, the folder could not be examined: nothing would be pruned.
      guard known == nil else { throw .notExamined(output) }
      return
    }
    guard known == old.signature else { return }
    do throws(StateFault) { try shelf.promote(key) } catch { throw error.asCause }
  }

  func withhold(as key: String) throws(FailureCause) -> FileSignature {
    guard let withheld else { throw .internalError("a folder was withheld that is not to wait") }
    return try withheld.hold(tree, of: output)
  }

  func dropPartial() { partial?.discard() }

  func giveUp(_ download: ContentIdentity?) -> Int64 {
    tree.discard()
    guard let partial, let download else { return 0 }
    return partial.keepWhole(download)
  }
}

extension PartialDownload {
  /// Keeps all of a complete download for the next run; returns the number of bytes that are kept.
  func keepWhole(_ download: ContentIdentity) -> Int64 {
    // If this cannot be written, an earlier checkpoint must be enough.
    if let sha256 = download.sha256 { try? note(.init(offset: download.size, sha256: sha256)) }
    return keep()
  }
}
