extension String {
  /// The text without line ends: `\n` stands for one, and `\\` for a backslash.
  package var onOneLine: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\n") }) else { return self }
    var out = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": out += #"\\"#
      case "\n": out += #"\n"#
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
