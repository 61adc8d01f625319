import LocalFiles
import StateStore
import SyncModel

/// The folders that are withheld: each in `withheld/KEY.tree`, and its listing in `trees/KEY.held`.
struct WithheldFolders {
  let root: RootFolder
  let folder: StateFolder
  private let shelf: TreeShelf

  init(_ folder: StateFolder, for root: RootFolder) {
    self.root = root
    self.folder = folder
    shelf = TreeShelf(stateFolder: folder.path)
  }

  /// Puts a finished folder aside; returns its signature.
  func hold(_ tree: StagedTree, of output: RelativePath) throws(FailureCause) -> FileSignature {
    let listing = try tree.prepare()
    try store(listing, as: Self.held(output))
    try tree.withhold(as: TreeOutputs.key(of: output))
    return listing.signature
  }

  /// The signature of the folder that is withheld for `output`; `nil` if there is none, or it cannot be read.
  func signature(_ output: RelativePath) -> FileSignature? {
    (try? listing(output))?.signature
  }

  /// Puts the withheld folder into its place; `nil` if there is none. See ``StagedTree/publish(over:sharing:_:)``.
  func publish(
    _ output: RelativePath, _ order: TreeOrder, over now: OutputObservation
  ) throws(FailureCause) -> FileSignature? {
    guard let held = try listing(output) else { return nil }
    let key = TreeOutputs.key(of: output)
    let trees = TreeOutputs(root, statePath: folder.path)
    try StagedTree.dropLinks(withheld: key, held, in: folder)
    let old = trees.listing(of: output, keepingEdits: order.keepsEdits)
    let tree = try StagedTree(
      withheld: key, held,
      StagedTree.Order(output: output, key: key, rules: order.rules, old: old, edits: order.edits),
      in: folder,
      root: root)
    return try FinishedTree(tree, for: output, partial: nil, shelf: shelf).publish(over: now)
  }

  /// Drops the withheld folder; it is not an error if there is none.
  func remove(_ output: RelativePath) {
    folder.removeWithheld(TreeOutputs.key(of: output) + Self.ending)
    shelf.remove(Self.held(output))
  }

  /// Removes the listings of withheld folders other than those of `outputs`: a killed run has left them.
  func removeListings(except outputs: some Sequence<RelativePath>) {
    let left = folder.listingNames().filter { $0.hasSuffix(Self.listingEnding) }
    guard !left.isEmpty else { return }
    let known = Set(outputs.map(Self.held))
    for name in left where !known.contains(name) { shelf.remove(name) }
  }

  /// What is withheld for `output`; `nil` if nothing is, or its listing is damaged or of another folder.
  ///
  /// Throws if it cannot be read, which is no reason to give the folder up.
  func listing(_ output: RelativePath) throws(FailureCause) -> TreeListing? {
    guard let number = try folder.withheldFolder(TreeOutputs.key(of: output) + Self.ending) else {
      return nil
    }
    do throws(StateFault) {
      // After the exchange the old folder is there.
      return try shelf.present(Self.held(output)).flatMap { $0.folder == number ? $0 : nil }
    } catch {
      throw error.asCause
    }
  }

  private func store(_ listing: TreeListing, as key: String) throws(FailureCause) {
    do throws(StateFault) { try shelf.write(listing, as: key) } catch { throw error.asCause }
  }

  /// The end of the name of a folder in `withheld/`.
  static let ending = ".tree"
  /// The end of the name of its listing.
  private static let listingEnding = ".held"

  private static func held(_ output: RelativePath) -> String { TreeOutputs.key(of: output) + listingEnding }
}
