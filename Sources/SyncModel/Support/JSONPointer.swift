/// A place in a JSON document (RFC 6901).
package struct JSONPointer: Sendable, Hashable {
  /// As written, such as `/files/0/checksum`.
  package let text: String
  /// The keys and indices on the way, their escapes undone.
  package let parts: [ByteString]

  /// `nil` if the text is not empty and does not begin with a slash, or if a `~` is not followed by 0 or 1.
  package init?(_ text: String) {
    self.text = text
    guard !text.isEmpty else {
      parts = []
      return
    }
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    var parts: [ByteString] = []
    for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let part = Self.unescaped(part) else { return nil }
      parts.append(ByteString(part))
    }
    self.parts = parts
  }

  private static func unescaped(_ part: Substring.UTF8View) -> String? {
    var out: [UInt8] = []
    var bytes = part.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "~") else {
        out.append(byte)
        continue
      }
      switch bytes.next() {
      case UInt8(ascii: "0"): out.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): out.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}

/// The result of following a pointer.
package enum JSONFinding: Sendable, Equatable {
  /// There is exactly one value at the place.
  case value(JSONValue)
  /// The document has no such place.
  case nothing
  /// An object on the way has the key twice.
  case ambiguous
}

extension JSONValue {
  /// The value at `pointer`.
  package func find(_ pointer: JSONPointer) -> JSONFinding {
    var value = self
    for part in pointer.parts {
      switch value {
      case .object(let members):
        let found = members.filter { $0.key == part }
        guard found.count <= 1 else { return .ambiguous }
        guard let member = found.first else { return .nothing }
        value = member.value
      case .array(let items):
        guard let index = Self.index(part.text), index < items.count else { return .nothing }
        value = items[index]
      default: return .nothing
      }
    }
    return .value(value)
  }

  /// A number without leading zeros.
  private static func index(_ text: String) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return text == "0" || text.utf8.first != UInt8(ascii: "0") ? Int(text) : nil
  }
}
