/// Text that must never reach a terminal or a log (contract, section 6, promise 7), detected independently.
enum Harm {
  /// The fault of `text`, which may have many lines; `nil` for none.
  static func found(in text: String) -> String? {
    let scalars = Array(text.unicodeScalars)
    if let bad = scalars.first(where: { $0 != "\n" && movesOrHides($0.value) }) {
      return "U+\(String(bad.value, radix: 16)) in \(text.debugDescription)"
    }
    for line in scalars.split(separator: "\n") {
      let begin = line.drop { $0.properties.isWhitespace }
      if begin.starts(with: "::".unicodeScalars) { return "a command begins \(text.debugDescription)" }
      if marksCommand(Array(line)) { return "a command mark in \(text.debugDescription)" }
    }
    return nil
  }

  /// Controls, and format characters that change the order of text.
  private static func movesOrHides(_ value: UInt32) -> Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value)
      || (0x2066...0x2069).contains(value) || (0xE0020...0xE007F).contains(value)
      || [0x200B, 0x200E, 0x200F, 0x061C, 0x2028, 0x2029, 0xFEFF].contains(value)
  }

  /// `##[`, `##vso[`, `##teamcity[`.
  private static func marksCommand(_ line: [Unicode.Scalar]) -> Bool {
    ["##[", "##vso[", "##teamcity["].contains { mark in
      let mark = Array(mark.unicodeScalars)
      guard line.count >= mark.count else { return false }
      return (0...(line.count - mark.count)).contains { line[$0..<($0 + mark.count)].elementsEqual(mark) }
    }
  }
}
