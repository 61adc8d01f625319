import SyncModel

/// Text as HTML shows it: nothing in it is taken for markup, in an element or in a quoted attribute.
enum HTMLText {
  /// `text`, of our own or cleaned and masked, with every character that HTML gives a meaning written out.
  static func escape(_ text: String) -> String {
    guard text.utf8.contains(where: { reference(for: $0) != nil }) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      if let reference = reference(for: byte) { bytes += reference.utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Our own text, in which backticks enclose input and manifest text.
  static func prose(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map { escape(String($0)) }
    guard parts.count % 2 == 1 else { return escape(text) }
    return parts.enumerated().map { place, part in place % 2 == 0 ? part : "<code>\(part)</code>" }.joined()
  }

  private static func reference(for byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }
}

extension SecretMask {
  /// A text of foreign origin for a page: secrets masked, control characters made visible, markup taken from it.
  func page(_ text: String) -> String { HTMLText.escape(shown(text)) }
}

/// Numbers as a page shows them.
enum PageNumber {
  /// `12,345`: thousands apart, since columns of digits are compared by eye.
  static func grouped(_ number: Int) -> String {
    let digits = String(abs(number))
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }

  /// `1 target`, `12,345 targets`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// `part` of `whole` in percent with two decimals, from 0 to 100; 0 if `whole` is 0.
  static func percent(_ part: Duration, of whole: Duration) -> String {
    guard whole > .zero, part > .zero else { return "0%" }
    let hundredths = min(10_000, Int((part / whole * 10_000).rounded()))
    let (full, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    return rest == 0 ? "\(full)%" : "\(full).\(rest < 10 ? "0" : "")\(rest)%"
  }
}
