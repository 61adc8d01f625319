/// Makes text that a server or a manifest wrote harmless on a terminal and in a CI log.
///
/// Contract, section 6, promise 7: no control character and no CI command gets through. Secrets are
/// masked before, since cleaning may change how they are spelt.
package enum CleanText {
  /// `text` on one line: line ends and tabs become spaces, invisible characters become `\u{…}`.
  ///
  /// A space breaks up CI commands: `::` at the start of a line (GitHub, which trims first), and `##[`, `##vso[`
  /// and similar commands anywhere (GitHub, Azure Pipelines, TeamCity).
  package static func clean(_ text: String) -> String {
    if isPlain(text) { return text }
    return cells(text, tabStop: nil).reduce(into: "") { $0 += $1.text }
  }

  /// One scalar of a text as it is shown.
  struct Cell {
    var text: String
    /// In columns.
    var width: Int
  }

  /// `text` scalar by scalar; tabs reach to the next multiple of `tabStop`, or are one space.
  static func cells(_ text: String, tabStop: Int?) -> [Cell] {
    let scalars = Array(text.unicodeScalars)
    let commandMark = secondColonOfStart(scalars)
    var column = 0
    return scalars.indices.map { i in
      let parts = i == commandMark || endsCommandMark(scalars, at: i)
      var cell = cell(scalars[i], column: column, tabStop: tabStop)
      if parts { cell = Cell(text: " " + cell.text, width: cell.width + 1) }
      column += cell.width
      return cell
    }
  }

  /// The position of the second of two colons at the text's beginning; `nil` if it does not begin with two.
  private static func secondColonOfStart(_ scalars: [Unicode.Scalar]) -> Int? {
    let first = scalars.firstIndex { !$0.properties.isWhitespace && !isIgnorable($0) }
    guard let first, scalars[first] == ":" else { return nil }
    let next = scalars[(first + 1)...].firstIndex { !isIgnorable($0) }
    return next.flatMap { scalars[$0] == ":" ? $0 : nil }
  }

  /// Whether scalar `i` is the second `#` of something like `##vso[`.
  static func endsCommandMark(_ scalars: [Unicode.Scalar], at i: Int) -> Bool {
    guard scalars[i] == "#", scalars[..<i].last(where: { !isIgnorable($0) }) == "#" else { return false }
    let rest = scalars[(i + 1)...].drop { isIgnorable($0) || $0.isASCII && $0.properties.isAlphabetic }
    return rest.first == "["
  }

  /// Characters that linguistic comparisons ignore, such as those of .NET, in which GitHub's runner is written.
  private static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII && scalar.properties.isDefaultIgnorableCodePoint
  }

  private static func cell(_ scalar: Unicode.Scalar, column: Int, tabStop: Int?) -> Cell {
    switch scalar {
    case "\t":
      let width = tabStop.map { $0 - column % $0 } ?? 1
      return Cell(text: String(repeating: " ", count: width), width: width)
    case "\n", "\r":
      return Cell(text: " ", width: 1)
    case _ where isHidden(scalar):
      let text = "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      return Cell(text: text, width: text.utf8.count)
    default:
      return Cell(text: String(scalar), width: TextWidth.of(scalar))
    }
  }

  /// Controls, separators of lines, and format characters such as bidirectional overrides.
  ///
  /// The two joiners stay: scripts and emoji need them, and they move nothing.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    case .format: return scalar.value != 0x200C && scalar.value != 0x200D
    default: return false
    }
  }

  /// Whether `text` certainly needs no cleaning; nearly all text is, and this is cheap.
  private static func isPlain(_ text: String) -> Bool {
    var last: UInt8 = 0
    var isStart = true
    for c in text.utf8 {
      guard (0x20..<0x7F).contains(c) else { return false }
      if c == UInt8(ascii: "#"), last == c { return false }
      if isStart, c == UInt8(ascii: ":"), last == c { return false }
      if c != UInt8(ascii: " "), c != UInt8(ascii: ":") || last == c { isStart = false }
      last = c
    }
    return true
  }
}
