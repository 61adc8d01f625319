/// What reports say of a folder that was unpacked.
package struct TreeFacts: Sendable, Equatable {
  /// The sum of the files' sizes, in bytes.
  package var size: Int64
  /// The number of files and links.
  package var files: Int
  /// How it differs from the folder before.
  package var changes: TreeChanges

  /// `size` is in bytes.
  package init(size: Int64, files: Int, changes: TreeChanges) {
    self.size = size
    self.files = files
    self.changes = changes
  }
}
