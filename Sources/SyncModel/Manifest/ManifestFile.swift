/// A file besides the manifest itself that its targets come from: an included manifest, or the rows of a table.
package struct ManifestFile: Sendable, Equatable {
  /// From the root.
  package var path: RelativePath
  /// The sum of the bytes that were read, under the key of the manifest's sum.
  package var sum: ByteSum.Value

  /// `sum` must be of all the file's bytes.
  package init(path: RelativePath, sum: ByteSum.Value) {
    self.path = path
    self.sum = sum
  }
}

/// A pattern of `include`, and what it matched.
package struct IncludePattern: Sendable, Equatable {
  /// From the root; a ``FilePattern``.
  package var text: String
  /// The sum of the files' paths, under the key of the manifest's sum.
  package var sum: ByteSum.Value

  /// The sum of the paths of these files, which are in order.
  package init(_ text: String, matching files: [RelativePath], _ key: ByteSum.Key) {
    self.init(text, Self.sum(of: files, key))
  }

  /// Takes a sum that was stored.
  package init(_ text: String, _ sum: ByteSum.Value) {
    self.text = text
    self.sum = sum
  }

  /// The sum of the paths of these files, which are in order.
  package static func sum(of files: [RelativePath], _ key: ByteSum.Key) -> ByteSum.Value {
    // No path has a zero byte.
    let text = Array(files.map(\.text).joined(separator: "\0").utf8)
    return unsafe text.withUnsafeBytes { unsafe ByteSum.of($0, key) }
  }
}
