/// An edited manifest with the same content as before, except perhaps for a few targets.
package struct EditedManifest: Sendable {
  /// The sum of its bytes, under the key of the new snapshot.
  package var sum: ByteSum.Value
  /// The outline of the present manifest.
  package var outline: ManifestOutline
  /// The targets with changed content; `nil` if there are none.
  package var changed: ChangedTargets?

  /// `sum` and `outline` must be of the same text.
  package init(sum: ByteSum.Value, outline: ManifestOutline, changed: ChangedTargets? = nil) {
    self.sum = sum
    self.outline = outline
    self.changed = changed
  }
}

/// Targets whose entries in a manifest were edited, under the keys that they had, as if they were all of it.
package struct ChangedTargets: Sendable {
  /// The manifest with no other targets; their ids count within it.
  package var manifest: Manifest
  /// The environment variables that it uses.
  package var variables: [String]

  /// `manifest` must hold the changed targets only.
  package init(manifest: Manifest, variables: [String]) {
    self.manifest = manifest
    self.variables = variables
  }
}
