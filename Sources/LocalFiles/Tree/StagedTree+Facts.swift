package import SyncModel

extension StagedTree {
  /// What reports say of it; valid after ``finish()``.
  package var facts: TreeFacts {
    TreeFacts(
      size: entries.size, files: entries.fileCount, changes: changes)
  }
}
