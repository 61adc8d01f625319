/// Text as YAML writes it.
package enum YAMLText {
  /// As a double-quoted scalar. Letters, digits, marks and signs of every script stay as they are, so that people can read
  /// and find them, unless all is to be ASCII; everything else that is not ASCII is an escape.
  package static func quoted(_ text: String, isASCII: Bool = false) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case " "..."~": out.unicodeScalars.append(scalar)
      case _ where !isASCII && scalar.value >= 0xA0 && isReadable(scalar): out.unicodeScalars.append(scalar)
      default: out += escape(scalar.value)
      }
    }
    return out + "\""
  }

  /// Spaces, controls and invisible signs are not readable, and neither is what has no character yet.
  private static func isReadable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .connectorPunctuation, .dashPunctuation,
      .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation,
      .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
      !scalar.properties.isDefaultIgnorableCodePoint
    default: false
    }
  }

  private static func escape(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    let (letter, width) = value < 0x100 ? ("x", 2) : value < 0x10000 ? ("u", 4) : ("U", 8)
    return "\\\(letter)" + String(repeating: "0", count: width - digits.utf8.count) + digits
  }
}
