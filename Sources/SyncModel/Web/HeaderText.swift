/// Header values as text from which their bytes can be restored.
///
/// A validator is sent back byte for byte, and servers may put any byte above 0x7F into an ETag (RFC 9110, section
/// 8.8.3). A byte that is not part of valid UTF-8 becomes a private character, U+10FF80 to U+10FFFF. If a server
/// sends such a character as UTF-8, it counts as four invalid bytes, so that no two values have the same text.
package enum HeaderText {
  private static let base: UInt32 = 0x10FF00
  /// The first byte of every character that stands for a byte, and of few others.
  private static let mark: UInt8 = 0xF4

  /// The text of a value.
  package static func text(_ bytes: some Collection<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let length = length(from: first)
      if let scalar = scalar(rest.prefix(length), length), !isByte(scalar) {
        scalars.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        scalars.append(Unicode.Scalar(base + UInt32(first)) ?? "\u{FFFD}")
        rest = rest.dropFirst()
      }
    }
    return String(scalars)
  }

  /// The bytes of a text that ``text(_:)`` made.
  package static func bytes(_ text: String) -> [UInt8] {
    guard !isPlain(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      isByte(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
    }
  }

  /// Whether the text's own UTF-8 is its bytes; `false` for a few others, too.
  package static func isPlain(_ text: String) -> Bool { !text.holds(mark) }

  private static func isByte(_ scalar: Unicode.Scalar) -> Bool {
    (base + 0x80...base + 0xFF).contains(scalar.value)
  }

  /// How many bytes the character takes whose first one this is.
  private static func length(from first: UInt8) -> Int {
    switch first {
    case 0..<0x80: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  private static func scalar(_ bytes: ArraySlice<UInt8>, _ length: Int) -> Unicode.Scalar? {
    guard bytes.count == length, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return text.unicodeScalars.first
  }
}
