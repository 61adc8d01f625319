import SyncModel

/// How an output is called where the manifest does not say.
enum OutputName {
  /// In bytes; what Linux takes as a path.
  static let longestPath = 4_096

  /// `name` less one suffix for each step that unpacks.
  static func unpacked(_ name: String, _ steps: [Step]) -> String {
    steps.reduce(name) { name, step in step == .gunzip ? withoutGzipSuffix(name) : name }
  }

  /// `x.gz` and `x.gzip` become `x`, and `x.tgz` becomes `x.tar`; every other name stays.
  private static func withoutGzipSuffix(_ name: String) -> String {
    for (suffix, rest) in [(".gz", ""), (".gzip", ""), (".tgz", ".tar")] {
      let bytes = name.utf8
      guard bytes.count > suffix.utf8.count else { continue }
      let start = bytes.index(bytes.endIndex, offsetBy: -suffix.utf8.count)
      if Substring(bytes[start...]).lowercased() == suffix {
        return String(Substring(bytes[..<start])) + rest
      }
    }
    return name
  }
}
