import LocalFiles
import Planning
import SyncModel

/// The files that a manifest was read from: its own as it was before, the others as they were just after.
///
/// It is a class so that copies of a workspace stay cheap.
final class ManifestFiles: Sendable {
  private let place: ManifestLocation
  private let manifest: FileSignature
  /// Included manifests, files of rows, and local lists.
  private let further: [RelativePath: OutputObservation]
  /// Those of `include`.
  private let patterns: [String]

  /// `signature` is that of the manifest's file before it was read.
  init(of manifest: Manifest, at place: ManifestLocation, _ signature: FileSignature) {
    self.place = place
    self.manifest = signature
    var paths = manifest.furtherFiles.map(\.path)
    for template in manifest.templates {
      if case .file(let path, _) = template.list.url, let path = try? RelativePath(path) {
        paths.append(path)
      }
    }
    let root = paths.isEmpty ? nil : try? place.place.openRoot()
    further = Dictionary(paths.map { ($0, root?.observe($0) ?? .missing) }) { first, _ in first }
    patterns = manifest.includePatterns.map(\.text)
  }

  /// Whether another manifest might be read from them now.
  func haveChanged() -> Bool {
    guard place.signature == manifest else { return true }
    guard !further.isEmpty || !patterns.isEmpty else { return false }
    guard let root = try? place.place.openRoot() else { return true }
    return further.contains { root.observe($0.key) != $0.value }
      || patterns.contains { text in
        guard let path = try? RelativePath(text), let pattern = try? FilePattern(path),
          let files = try? root.find(pattern)
        else { return true }
        return files.contains { further[$0] == nil }
      }
  }
}
