import SyncModel

/// A text file as lines.
struct ForeignText {
  /// One line without its end.
  struct Line {
    /// From 1.
    var number: Int
    var text: String
  }

  private(set) var lines: [Line] = []

  /// Refuses what is no text: bytes that are not UTF-8, and control characters other than tabs.
  init(_ bytes: [UInt8]) throws(ForeignFault) {
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let rest = hasMark ? bytes.dropFirst(3) : bytes[...]
    for line in rest.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let line = line.last == 0x0D ? line.dropLast() : line
      let number = lines.count + 1
      let text = String(decoding: line, as: UTF8.self)
      let bad = zip(text.utf8, line).prefix { $0 == $1 }.count
      if bad < line.count || text.utf8.count != line.count {
        throw ForeignFault(
          "not valid UTF-8", at: Self.span(number, text, bad), hint: "--from reads text: save it as UTF-8")
      }
      if let place = line.firstIndex(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
        let digits = String(line[place], radix: 16, uppercase: true)
        throw ForeignFault(
          "control character U+00\(digits.utf8.count < 2 ? "0" : "")\(digits)",
          at: Self.span(number, text, place - line.startIndex), hint: "--from reads text")
      }
      lines.append(Line(number: number, text: text))
    }
  }

  /// The place of the character at a byte of a line's text.
  static func span(_ number: Int, _ text: String, _ byte: Int) -> SourceSpan {
    let column = String(decoding: text.utf8.prefix(byte), as: UTF8.self).unicodeScalars.count + 1
    return SourceSpan(line: number, column: column, endColumn: column + 1)
  }
}

extension ForeignText.Line {
  /// Without blanks and tabs at both ends.
  var trimmed: String { text.trimmed }

  /// Whether there is something but a comment.
  var isContent: Bool {
    guard let first = text.utf8.first(where: { !Self.isBlank($0) }) else { return false }
    return first != UInt8(ascii: "#")
  }

  var isIndented: Bool { text.utf8.first.map(Self.isBlank) ?? false }

  /// The parts around its first `=`, without blanks around them; `nil` without one.
  var option: (name: String, value: String)? {
    text.cut(at: UInt8(ascii: "=")).map { ($0.before.trimmed, $0.after.trimmed) }
  }

  /// The parts between blanks; quotes hold one together, as in a shell. `nil` if a quote is not closed.
  var words: [String]? {
    var words: [String] = []
    var word: [UInt8]?
    var quote: UInt8?
    for byte in text.utf8 {
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
        word = word ?? []
      } else if quote == nil, Self.isBlank(byte) {
        if let done = word { words.append(String(decoding: done, as: UTF8.self)) }
        word = nil
      } else {
        word = (word ?? []) + [byte]
      }
    }
    if let done = word { words.append(String(decoding: done, as: UTF8.self)) }
    return quote == nil ? words : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
