/// The patterns of `include`: a file that one of them matches is a manifest, and nothing else may be written there.
package struct ManifestPatterns: Sendable {
  private var patterns: [(shown: String, pattern: FilePattern)] = []

  /// Of no pattern yet.
  package init() {}

  /// Adds a pattern; one that leads out of the root matches nothing.
  package mutating func add(_ include: IncludePattern) {
    guard let path = try? RelativePath(include.text), let pattern = try? FilePattern(path) else { return }
    patterns.append((include.text, pattern))
  }

  /// The pattern that matches a file at `path` from the root, whether it is there or not; `nil` if none does.
  package func pattern(matching path: RelativePath) -> String? {
    patterns.first { $0.pattern.matches(path) }?.shown
  }
}
