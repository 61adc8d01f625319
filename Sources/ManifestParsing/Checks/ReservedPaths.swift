import SyncModel

/// The places that no output may take. An object, since each of a million outputs asks it.
final class ReservedPaths {
  private var paths: [(shown: String, names: [String])] = []
  /// The ``paths`` in lower case as bytes, for a fast check.
  private var texts: [[UInt8]] = []
  private var manifests = ManifestPatterns()

  /// `paths` are relative to the root; those that lead out of it reserve nothing.
  init(_ paths: [String]) {
    for text in paths + [".syncmake", "syncmake.lock"] { add(text) }
  }

  /// Reserves another place.
  func add(_ text: String) {
    guard let path = try? RelativePath(text) else { return }
    paths.append((path.text, OwnPlaces.plainNames(path.text)))
    texts.append(Array(path.text.lowercased().utf8))
  }

  /// Reserves every file that a pattern of `include` matches, whether it is there yet or not.
  func add(_ include: IncludePattern) { manifests.add(include) }

  /// The pattern of `include` that matches a file at `path`.
  func pattern(matching path: RelativePath) -> String? { manifests.pattern(matching: path) }

  /// The reserved path that `path` equals, is inside of, or contains.
  ///
  /// Names are the same that are on some file systems, such as those in another case.
  func conflict(with path: RelativePath) -> String? {
    isPlainlyElsewhere(path.text) ? nil : carefulConflict(with: path)
  }

  /// ``conflict(with:)`` for any path.
  func carefulConflict(with path: RelativePath) -> String? {
    let names = OwnPlaces.plainNames(path.text)
    return OwnPlaces.folder(in: names) ?? paths.first { OwnPlaces.overlap($0.names, names) }?.shown
  }

  /// A fast check for nearly every output: ASCII, no part begins or ends with a dot, or ends with a space, and it neither
  /// begins as a reserved path nor is the beginning of one.
  func isPlainlyElsewhere(_ path: String) -> Bool {
    unsafe path.withBytes { bytes in
      var last = UInt8(ascii: "/")
      var place = 0
      while place < bytes.count {
        let byte = unsafe bytes[place]
        if byte >= 0x80 || (byte == UInt8(ascii: ".") && last == UInt8(ascii: "/")) { return false }
        if byte == UInt8(ascii: "/"), Self.isUnseen(last) { return false }
        last = byte
        place += 1
      }
      if Self.isUnseen(last) { return false }
      for text in texts where unsafe begins(text, as: bytes) { return false }
      return true
    }
  }

  /// Whether some file systems do not see this at the end of a name.
  private static func isUnseen(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: " ")
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
