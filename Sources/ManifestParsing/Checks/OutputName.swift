import SyncModel

/// The default name of an output.
enum OutputName {
  /// In bytes. Linux takes paths of 4,096 bytes with the zero at their end.
  static let longestPath = 4_095
  /// In bytes. Nearly every file system has this limit for one name in a path.
  static let longestPart = 255

  /// Why a path cannot be that of a file.
  enum LengthFault: Equatable {
    case part(String, count: Int)
    case path(count: Int)
  }

  /// The part of `path` that is too long; `nil` if none is.
  static func lengthFault(_ path: RelativePath) -> LengthFault? {
    let count = path.text.utf8.count
    guard count > longestPart else { return nil }
    if let part = path.parts.first(where: { $0.utf8.count > longestPart }) {
      return .part(String(part), count: part.utf8.count)
    }
    return count > longestPath ? .path(count: count) : nil
  }

  /// `name` less one suffix for each step that unpacks.
  static func unpacked(_ name: String, _ steps: [Step]) -> String {
    steps.reduce(name) { name, step in
      if case .decompress(let format, _) = step { withoutSuffix(name, of: format) } else { name }
    }
  }

  /// `x.gz` becomes `x`, and `x.tgz` becomes `x.tar`; a name without a suffix of `format` stays.
  private static func withoutSuffix(_ name: String, of format: Compression) -> String {
    for (suffix, rest) in suffixes(format) {
      let bytes = name.utf8
      guard bytes.count > suffix.utf8.count else { continue }
      let start = bytes.index(bytes.endIndex, offsetBy: -suffix.utf8.count)
      if Substring(bytes[start...]).lowercased() == suffix {
        return String(Substring(bytes[..<start])) + rest
      }
    }
    return name
  }

  /// Suffixes in lower case, and what each becomes.
  private static func suffixes(_ format: Compression) -> [(String, String)] {
    switch format {
    case .gzip: [(".gz", ""), (".gzip", ""), (".tgz", ".tar")]
    case .xz: [(".xz", ""), (".lzma", ""), (".txz", ".tar"), (".tlz", ".tar")]
    case .zstd: [(".zst", ""), (".zstd", ""), (".tzst", ".tar")]
    case .bzip2: [(".bz2", ""), (".bz", ""), (".bzip2", ""), (".tbz2", ".tar"), (".tbz", ".tar")]
    }
  }
}
