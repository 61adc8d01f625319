import SyncModel

/// Foreign text in a comment or a message: on one line, short, and without what may be secret.
enum Shown {
  private static let longest = 100

  /// `text` with `?` for characters that would end the line or could not be seen, cut if it is long.
  static func clean(_ text: String, longest: Int = 1000) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard out.count < longest else { return String(out) + "…" }
      out.append(isSeen(scalar) ? scalar : "?")
    }
    return String(out)
  }

  /// In quotes.
  static func quoted(_ text: String) -> String { "\"\(clean(text, longest: longest))\"" }

  /// A URL without a user, a password and a query. Of other addresses only the scheme is shown: a magnet link names
  /// its trackers, with their keys.
  static func address(_ text: String) -> String {
    guard let parts = AddressParts(text) else {
      guard let scheme = WebURL.scheme(of: text) else {
        let isPlain = !text.utf8.contains(UInt8(ascii: "@")) && !SecretWords.mayHold(text)
        return isPlain ? quoted(text) : "\"…\""
      }
      return "\(scheme):…"
    }
    let rest = parts.rest.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    return clean(parts.scheme + "://" + String(Substring(rest)), longest: longest)
  }

  private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E: true
    case 0..<0xA0, 0xAD, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF0...0xFFFF,
      0xE0000...:
      false
    default: true
    }
  }
}
