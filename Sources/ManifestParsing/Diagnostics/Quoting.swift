/// The form of foreign text in a message.
enum Quoting {
  /// The longest text that is shown whole, in Unicode scalars.
  static let longest = 100

  /// `text` in quotes, cut if it is long; secrets must be masked already, since a cut secret is not found.
  static func quoted(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < longest else { return "\"\(String(shown))…\"" }
      shown.append(scalar)
      count += 1
    }
    return "\"\(text)\""
  }

  /// `text`, in which secrets are masked already, with its words cut that are far longer than a quoted text, such as the
  /// names of variables.
  static func withShortWords(_ text: String) -> String {
    guard text.utf8.count > 2 * longest else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let scalars = word.unicodeScalars
      guard scalars.count > 2 * longest else { return String(word) }
      let end = scalars.reversed().prefix { "\"}:;,".unicodeScalars.contains($0) }
      return String(String.UnicodeScalarView(scalars.prefix(longest))) + "…"
        + String(String.UnicodeScalarView(end.reversed()))
    }.joined(separator: " ")
  }

  /// `words` as `a, b or c`.
  static func list(_ words: [String], _ last: String = "or") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) " + end
  }

  /// Whether `scalar` is one of the control characters of ASCII or Latin-1.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// The first control character in `text`.
  static func firstControl(_ text: String) -> Unicode.Scalar? {
    // In UTF-8 all of them begin with one of these bytes, which most texts do not have.
    guard mayHoldControl(text) else { return nil }
    return text.unicodeScalars.first(where: isControl)
  }

  /// Without an end before the end, so that the processor compares many bytes at once.
  private static func mayHoldControl(_ text: String) -> Bool {
    unsafe text.withBytes { bytes in
      unsafe bytes.reduce(0 as UInt8) { $0 | ($1 < 0x20 || $1 == 0x7F || $1 == 0xC2 ? 1 : 0) } != 0
    }
  }

  /// `scalar` as `U+000A`.
  static func codePoint(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
