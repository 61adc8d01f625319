import SyncModel

/// Values in the words of a manifest.
enum Written {
  /// As a quoted text without variables.
  static func text(_ text: String) -> String { YAMLText.quoted(literal(text)) }

  /// The same text where `${…}` would be a variable.
  static func literal(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { out.append(contentsOf: scalar == "$" ? ["$", "$"] : [scalar]) }
    return String(out)
  }

  /// In milliseconds; negative ones are written as they are, so that the manifest refuses them.
  static func duration(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    // Longer ones have no use for milliseconds, and might be too large a number of them.
    guard seconds.magnitude < 1 << 50 else { return "\(seconds)s" }
    return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
  }
}
