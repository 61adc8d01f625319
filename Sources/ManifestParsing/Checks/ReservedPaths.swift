import SyncModel

/// The places that no output may take.
struct ReservedPaths {
  private let paths: [(shown: String, folded: RelativePath)]
  /// The first parts of ``paths``, case-folded, for a fast check.
  private let firstParts: [[UInt8]]

  /// `paths` are relative to the root; those that lead out of it reserve nothing.
  init(_ paths: [String]) {
    self.paths = (paths + [".syncmake", "syncmake.lock"]).compactMap { text in
      guard let path = try? RelativePath(text), let folded = try? RelativePath(path.text.lowercased()) else {
        return nil
      }
      return (path.text, folded)
    }
    firstParts = self.paths.map { $0.folded.text.utf8.prefix { $0 != UInt8(ascii: "/") } }.map(Array.init)
  }

  /// The reserved path that `path` equals, is inside of, or contains.
  ///
  /// Upper and lower case are the same, since they are on many file systems.
  func conflict(with path: RelativePath) -> String? {
    isPlainlyElsewhere(path.text) ? nil : carefulConflict(with: path)
  }

  /// ``conflict(with:)`` for any path.
  func carefulConflict(with path: RelativePath) -> String? {
    for folder in [".git", ".syncmake"] where path.parts.contains(where: { $0.lowercased() == folder }) {
      return folder
    }
    guard let folded = try? RelativePath(path.text.lowercased()) else { return nil }
    return paths.first {
      $0.folded == folded || $0.folded.isFolder(of: folded) || folded.isFolder(of: $0.folded)
    }?
    .shown
  }

  /// A fast check for nearly every output: ASCII, no part begins with a dot, and the first part is not one of a
  /// reserved path.
  func isPlainlyElsewhere(_ path: String) -> Bool {
    var path = path
    return path.withUTF8 { bytes in
      var isFirstOfPart = true
      for place in bytes.indices {
        let byte = unsafe bytes[place]
        if byte >= 0x80 || (isFirstOfPart && byte == UInt8(ascii: ".")) { return false }
        isFirstOfPart = byte == UInt8(ascii: "/")
      }
      let end = unsafe bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
      return !firstParts.contains { part in
        unsafe part.count == end && zip(part, bytes).allSatisfy { $0 == Self.folded($1) }
      }
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
