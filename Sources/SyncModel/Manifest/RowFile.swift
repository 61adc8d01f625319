/// A file that `matrix: {rows: FILE}` made targets of.
package struct RowFile: Sendable, Equatable {
  /// From the manifest's folder.
  package var path: RelativePath
  /// The sum of the bytes that were read, under the key of the manifest's sum.
  package var sum: ByteSum.Value

  /// `sum` must be of all the file's bytes.
  package init(path: RelativePath, sum: ByteSum.Value) {
    self.path = path
    self.sum = sum
  }
}
