import SyncModel

/// The places that no output may take.
struct ReservedPaths {
  private var paths: [(shown: String, folded: RelativePath)] = []
  /// The case-folded ``paths`` as bytes, for a fast check.
  private var texts: [[UInt8]] = []

  /// `paths` are relative to the root; those that lead out of it reserve nothing.
  init(_ paths: [String]) {
    for text in paths + [".syncmake", "syncmake.lock"] { add(text) }
  }

  /// Reserves another place.
  mutating func add(_ text: String) {
    guard let path = try? RelativePath(text), let folded = try? RelativePath(path.text.lowercased()) else {
      return
    }
    paths.append((path.text, folded))
    texts.append(Array(folded.text.utf8))
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

  /// A fast check for nearly every output: ASCII, no part begins with a dot, and it neither begins as a reserved path
  /// nor is the beginning of one.
  func isPlainlyElsewhere(_ path: String) -> Bool {
    unsafe path.withBytes { bytes in
      var last = UInt8(ascii: "/")
      var place = 0
      while place < bytes.count {
        let byte = unsafe bytes[place]
        if byte >= 0x80 || (byte == UInt8(ascii: ".") && last == UInt8(ascii: "/")) { return false }
        last = byte
        place += 1
      }
      for text in texts where unsafe begins(text, as: bytes) { return false }
      return true
    }
  }

  /// Whether one is the beginning of the other.
  private func begins(_ text: [UInt8], as bytes: UnsafeRawBufferPointer) -> Bool {
    let count = min(text.count, bytes.count)
    var place = 0
    while place < count, unsafe text[place] == Self.folded(bytes[place]) { place += 1 }
    return place == count
  }

  private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
