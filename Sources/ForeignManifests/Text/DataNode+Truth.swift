import ManifestParsing

extension DataNode {
  /// The words that the tools' readers of YAML take for true where a truth value belongs.
  private static let truths: Set<String> = [
    "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y",
  ]

  /// Whether a mapping has the key with the value true.
  func isTrue(_ key: String) -> Bool { Self.truths.contains(text(key)) }
}
