/// A manifest of other bytes that says the same as one before.
package struct EditedManifest: Sendable, Equatable {
  /// Of its bytes, under the key of the snapshot that is to hold for it.
  package var sum: ByteSum.Value
  package var outline: ManifestOutline

  package init(sum: ByteSum.Value, outline: ManifestOutline) {
    self.sum = sum
    self.outline = outline
  }
}
