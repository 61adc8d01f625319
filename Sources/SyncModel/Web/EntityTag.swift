/// An ETag as a server sent it; compared and sent back byte for byte.
package struct EntityTag: Hashable, Sendable {
  /// With its quotes and any `W/`, exactly as received.
  package let text: String

  /// Whatever a server sent; nothing is checked.
  package init(_ text: String) { self.text = text }

  /// Whether a range may rest on it (RFC 9110, section 8.8.1): quoted, and no `W/` before it.
  package var isStrong: Bool {
    let bytes = text.utf8
    return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
  }

  /// The weak comparison of RFC 9110, section 8.8.3.2: `W/` aside, the same bytes.
  package func weaklyEquals(_ other: EntityTag) -> Bool {
    // Mostly they are the same as they stand.
    text.hasSameBytes(as: other.text) || opaque.hasSameBytes(as: other.opaque)
  }

  private var opaque: Substring {
    let bytes = text.utf8[...]
    return Substring(bytes.starts(with: "W/".utf8) ? bytes.dropFirst(2) : bytes)
  }

  /// Swift calls an accented letter and its parts equal; to a server they are two tags.
  package static func == (a: EntityTag, b: EntityTag) -> Bool { a.text.hasSameBytes(as: b.text) }

  /// Agrees with `==`: equal are the same bytes only.
  package func hash(into hasher: inout Hasher) { hasher.combine(ByteString(text)) }
}
