/// A JSON document in memory (RFC 8259).
package indirect enum JSONValue: Sendable, Equatable {
  /// A key of an object, and its value.
  package struct Member: Sendable, Equatable {
    /// The key with its escapes resolved.
    package var key: ByteString
    /// The value; any, also another object.
    package var value: JSONValue

    /// Takes both as they are.
    package init(key: ByteString, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The literal `null`.
  case null
  /// The literals `true` and `false`.
  case bool(Bool)
  /// As written.
  case number(String)
  /// With its escapes resolved.
  case string(String)
  /// In the document's order.
  case array([JSONValue])
  /// In the document's order; a key may occur twice.
  case object([Member])

  /// Why bytes are not JSON.
  package struct Fault: Error, Sendable, Equatable {
    /// Counted from 1.
    package var line: Int

    /// `line` counts from 1.
    package init(line: Int) { self.line = line }
  }

  /// The limit for nested arrays and objects.
  package static let deepest = 256

  /// Reads a whole document in UTF-8.
  package init(_ bytes: [UInt8]) throws(Fault) {
    var reader = JSONReader(bytes)
    self = try reader.value()
    try reader.end()
  }
}
