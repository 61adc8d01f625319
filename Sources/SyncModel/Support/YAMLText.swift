/// Text as YAML writes it.
package enum YAMLText {
  /// As a double-quoted scalar; whatever is not plainly printable is an escape.
  package static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case " "..."~": out.unicodeScalars.append(scalar)
      default: out += escape(scalar.value)
      }
    }
    return out + "\""
  }

  private static func escape(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    let (letter, width) = value < 0x100 ? ("x", 2) : value < 0x10000 ? ("u", 4) : ("U", 8)
    return "\\\(letter)" + String(repeating: "0", count: width - digits.utf8.count) + digits
  }
}
