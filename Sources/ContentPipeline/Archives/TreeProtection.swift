package import SyncModel

/// The folder of an untrusted manifest, and the places that its archive must not write to (contract, section 14).
package struct TreeProtection: Sendable {
  /// What is protected.
  package var places: ProtectedPlaces
  /// The folder's path from the root.
  package var folder: String

  /// `folder` has no slash at its end.
  package init(_ places: ProtectedPlaces, folder: String) {
    self.places = places
    self.folder = folder
  }
}
