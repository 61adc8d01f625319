/// A text that equals only the same bytes, as paths and URLs do; `String` also takes an accented letter and its parts
/// for equal.
///
/// Around a property it makes the comparison that the compiler writes exact; by itself it is a key.
@propertyWrapper
package struct Exact<Text: ByteComparable>: Hashable, Sendable {
  package var wrappedValue: Text

  package init(wrappedValue: Text) { self.wrappedValue = wrappedValue }

  package init(_ text: Text) { wrappedValue = text }

  package static func == (a: Exact, b: Exact) -> Bool { a.wrappedValue.isSame(as: b.wrappedValue) }

  package func hash(into hasher: inout Hasher) { wrappedValue.hashBytes(into: &hasher) }
}

/// What ``Exact`` can hold: a text, or none.
package protocol ByteComparable: Sendable {
  func isSame(as other: Self) -> Bool
  func hashBytes(into hasher: inout Hasher)
}

extension String: ByteComparable {
  package func isSame(as other: String) -> Bool { hasSameBytes(as: other) }

  package func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // In no text, so that of two in a row none can take a byte from the other.
    hasher.combine(0xFF as UInt8)
  }
}

extension Optional: ByteComparable where Wrapped: ByteComparable {
  package func isSame(as other: Wrapped?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isSame(as: other)
  }

  package func hashBytes(into hasher: inout Hasher) {
    hasher.combine(self == nil)
    self?.hashBytes(into: &hasher)
  }
}

extension Exact<String>: ExpressibleByStringLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
  ExpressibleByUnicodeScalarLiteral, CustomStringConvertible
{
  package init(stringLiteral value: String) { self.init(value) }

  package var text: String { wrappedValue }

  package var description: String { wrappedValue }
}
