/// A text as a key, and in comparisons: equal to the same bytes only, as paths and URLs are; `String` also takes an
/// accented letter and its parts for equal.
package struct ByteString: Hashable, Sendable {
  /// The text itself.
  package let text: String

  /// Takes any text; nothing is normalised.
  package init(_ text: String) { self.text = text }

  /// Whether both have the same bytes.
  package static func == (a: ByteString, b: ByteString) -> Bool { a.text.hasSameBytes(as: b.text) }

  /// Agrees with `==`: equal are the same bytes only.
  package func hash(into hasher: inout Hasher) {
    let inPlace: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if inPlace == nil {
      var own = text
      own.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
    // A byte that no UTF-8 text contains, so that two adjacent texts cannot exchange bytes.
    hasher.combine(0xFF as UInt8)
  }
}

extension ByteString: ExpressibleByStringLiteral, CustomStringConvertible {
  /// The same for a literal.
  package init(stringLiteral value: String) { self.init(value) }

  /// The text itself.
  package var description: String { text }
}

extension String? {
  /// Whether both are `nil`, or have the same bytes.
  package func hasSameBytes(as other: String?) -> Bool {
    map { ByteString($0) } == other.map { ByteString($0) }
  }
}
