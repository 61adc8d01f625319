package import SyncModel

extension StagedTree {
  /// What reports say of it; valid after ``finish()``.
  package var facts: TreeFacts {
    TreeFacts(
      size: TreeListing.size(of: entries), files: entries.count { $0.kind != .folder }, changes: changes)
  }
}
