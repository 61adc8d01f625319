import SyncModel

/// The places that no output may take.
struct ReservedPaths {
  private let paths: [(shown: String, folded: RelativePath)]

  /// `paths` are relative to the root; those that lead out of it reserve nothing.
  init(_ paths: [String]) {
    self.paths = (paths + [".syncmake", "syncmake.lock"]).compactMap { text in
      guard let path = try? RelativePath(text), let folded = try? RelativePath(path.text.lowercased()) else {
        return nil
      }
      return (path.text, folded)
    }
  }

  /// The reserved place that `path` is, lies in, or would be a folder of.
  ///
  /// Upper and lower case count as the same, since they are on many file systems.
  func conflict(with path: RelativePath) -> String? {
    if path.parts.contains(where: { $0.lowercased() == ".git" }) { return ".git" }
    guard let folded = try? RelativePath(path.text.lowercased()) else { return nil }
    return paths.first {
      $0.folded == folded || $0.folded.isFolder(of: folded) || folded.isFolder(of: $0.folded)
    }?
    .shown
  }
}
