import Foundation

/// Looks for text that must never reach a terminal or a log (contract, section 6, promise 7), independently.
enum Harm {
  /// The fault of `text`, which may have many lines; `nil` for none.
  ///
  /// With `colour` our own SGR escapes are allowed.
  static func found(in text: String, secrets: [String], colour: Bool = false) -> String? {
    let plain = Array((colour ? withoutPaint(text) : text).unicodeScalars)
    if let scalar = plain.first(where: { $0 != "\n" && isDangerous($0.value) }) {
      return "U+\(String(scalar.value, radix: 16)) in \(text.debugDescription)"
    }
    if secrets.contains(where: { text.range(of: $0, options: .literal) != nil }) {
      return "a secret in \(text.debugDescription)"
    }
    for line in plain.split(separator: "\n") {
      if line.drop(while: \.properties.isWhitespace).starts(with: "::".unicodeScalars) {
        return "a command: \(line)"
      }
    }
    for mark in ["##[", "##vso[", "##teamcity["] where text.range(of: mark, options: .literal) != nil {
      return "a command in \(text.debugDescription)"
    }
    return nil
  }

  private static func isDangerous(_ value: UInt32) -> Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value)
      || (0x2066...0x2069).contains(value) || [0x200E, 0x200F, 0x061C, 0x2028, 0x2029].contains(value)
  }

  /// `text` less the escapes that set a colour; scalar by scalar, since a mark after one would join its `m`.
  static func withoutPaint(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var held: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars {
      if held.isEmpty, scalar != "\u{1B}" {
        scalars.append(scalar)
        continue
      }
      held.append(scalar)
      let isParameter = scalar == ";" || ("0"..."9").contains(scalar)
      if held.count == 1 || (held.count == 2 ? scalar == "[" : isParameter) { continue }
      if scalar != "m" || held.count < 3 { scalars.append(contentsOf: held) }
      held = []
    }
    scalars.append(contentsOf: held)
    return String(scalars)
  }
}
