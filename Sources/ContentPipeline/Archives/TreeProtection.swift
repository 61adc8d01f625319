package import SyncModel

/// The places in a folder that its archive must not write to.
package struct TreeProtection: Sendable {
  /// What an untrusted manifest must not write (contract, section 14); `nil` for any other manifest.
  package var places: ProtectedPlaces?
  /// Where a file would be an included manifest.
  package var manifests: ManifestPatterns
  /// The folder's path from the root.
  package var folder: String

  /// `folder` has no slash at its end.
  package init(_ places: ProtectedPlaces?, _ manifests: ManifestPatterns, folder: String) {
    self.places = places
    self.manifests = manifests
    self.folder = folder
  }

  /// Why the entry at `path` in the folder must not be written; `nil` if it may.
  func fault(ofEntry path: [UInt8], isFolder: Bool) -> ArchiveFault.Reason? {
    // A folder alone does no harm, and a pattern such as `.git/**` leaves that out of what it excludes.
    if !isFolder, let own = OwnPlaces.folder(on: path) { return .ownPlace(own) }
    if let fault = places?.fault(ofEntry: path, in: folder, isFolder: isFolder) {
      return .protectedPlace(fault)
    }
    guard !isFolder, let whole = try? RelativePath("\(folder)/\(String(decoding: path, as: UTF8.self))")
    else {
      return nil
    }
    return manifests.pattern(matching: whole).map { .includedManifest(pattern: $0) }
  }
}
