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
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? "\(seconds)s" : "\(milliseconds + attoseconds / 1_000_000_000_000_000)ms"
  }
}
