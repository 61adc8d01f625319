import LocalFiles
import StateStore
import SyncModel

/// The folders that are withheld: each in `withheld/KEY.tree`, its listing in `trees/KEY.held`, and that of the files which
/// were unpacked in `trees/KEY.unpacked`.
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
    try store(try tree.unpackedFiles(of: listing), as: Self.unpacked(output))
    try tree.withhold(as: TreeOutputs.key(of: output))
    return listing.signature
  }

  /// The signature of the folder that is withheld for `output`; `nil` if there is none, it cannot be read, or something of it
  /// has changed, so that it cannot be published.
  func signature(_ output: RelativePath, keepingEdits: Bool) -> FileSignature? {
    guard let held = try? listing(output), hasFiles(output) else { return nil }
    let old = TreeOutputs(root, statePath: folder.path).listing(of: output, keepingEdits: false)
    let isShared = StagedTree.isShared(
      held, with: output, recorded: old, keepingEdits: keepingEdits, in: root)
    return isShared ? held.signature : nil
  }

  /// Whether the withheld folder has the files that were unpacked to it, with their bytes.
  func hasFiles(_ output: RelativePath) -> Bool {
    guard let files = try? shelf.present(Self.unpacked(output)) else { return false }
    return StagedTree.hasFiles(files, withheld: TreeOutputs.key(of: output), of: output, in: folder) {
      file throws(FailureCause) in try TreeOutputs.sha256(file)
    }
  }

  /// Puts the withheld folder into its place; `nil` if there is none. See ``StagedTree/publish(over:sharing:_:)``.
  func publish(
    _ output: RelativePath, _ order: TreeOrder, over now: OutputObservation
  ) throws(FailureCause) -> FileSignature? {
    guard let held = try listing(output) else { return nil }
    try StagedTree.dropLinks(withheld: TreeOutputs.key(of: output), held, in: folder)
    let tree = try tree(held, of: output, order)
    return try FinishedTree(tree, for: output, partial: nil, shelf: shelf).publish(over: now)
  }

  /// Throws if something is in the withheld folder's way: then ``publish(_:_:over:)`` would fail. Nothing is changed.
  func requireFree(
    _ output: RelativePath, _ order: TreeOrder, over now: OutputObservation
  ) throws(FailureCause) {
    guard let held = try listing(output) else { return }
    try tree(held, of: output, order).requireFree(over: now)
  }

  /// What reports say of the folder that is withheld for `output`; `nil` if there is none, or it cannot be read.
  func facts(_ output: RelativePath, _ order: TreeOrder) -> TreeFacts? {
    guard let held = try? listing(output), let tree = try? tree(held, of: output, order) else { return nil }
    return tree.facts
  }

  private func tree(
    _ held: TreeListing, of output: RelativePath, _ order: TreeOrder
  ) throws(FailureCause) -> StagedTree {
    let key = TreeOutputs.key(of: output)
    let old = TreeOutputs(root, statePath: folder.path).listing(of: output, keepingEdits: order.keepsEdits)
    return try StagedTree(
      withheld: key, held,
      StagedTree.Order(
        output: output, key: key, rules: order.rules, old: old, edits: order.edits, places: order.places),
      in: folder, root: root)
  }

  /// Whether a folder is withheld for `output`, or was and has got its place.
  func knows(_ output: RelativePath) -> Bool {
    let name = TreeOutputs.key(of: output) + Self.ending
    if (try? folder.withheldFolder(name)) != nil { return true }
    return (try? shelf.present(Self.held(output))) != nil
  }

  /// Drops the withheld folder; it is not an error if there is none.
  func remove(_ output: RelativePath) {
    folder.removeWithheld(TreeOutputs.key(of: output) + Self.ending)
    shelf.remove(Self.held(output))
    shelf.remove(Self.unpacked(output))
  }

  /// Removes the listings of withheld folders other than those of `outputs`: a killed run has left them.
  func removeListings(except outputs: some Sequence<RelativePath>) {
    let left = folder.listingNames().filter {
      $0.hasSuffix(Self.listingEnding) || $0.hasSuffix(Self.unpackedEnding)
    }
    guard !left.isEmpty else { return }
    let known = Set(outputs.flatMap { [Self.held($0), Self.unpacked($0)] })
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
  private static let unpackedEnding = ".unpacked"

  private static func held(_ output: RelativePath) -> String { TreeOutputs.key(of: output) + listingEnding }

  private static func unpacked(_ output: RelativePath) -> String {
    TreeOutputs.key(of: output) + unpackedEnding
  }
}
