import SyncModel
import Testing

@testable import Reporting

@Suite struct DiagnosticTextTests {
  private func lines(
    _ source: String?, column: Int = 1, end: Int = 2, line: Int = 12, hint: String? = nil, width: Int? = nil
  ) -> [String] {
    let diagnostic = Diagnostic(
      file: "syncmake.yaml", span: SourceSpan(line: line, column: column, endColumn: end),
      message: "unknown freshness rule \"etags\"", hint: hint, sourceLine: source)
    return DiagnosticText.render([diagnostic], style: TextStyle(width: width)).split(separator: "\n").map(
      String.init)
  }

  @Test func `a problem has its place, its line, a caret under it and a hint`() {
    #expect(
      lines("    freshness: etags", column: 16, end: 21, hint: "did you mean \"etag\"?") == [
        "syncmake.yaml:12:16: error: unknown freshness rule \"etags\"",
        "  12 |     freshness: etags",
        "     |                ^~~~~",
        "hint: did you mean \"etag\"?",
      ])
  }

  @Test func `a problem of the file as a whole has no line`() {
    let problem = Diagnostic(severity: .warning, file: "a.yaml", message: "cannot be\nread")
    #expect(
      DiagnosticText.render([problem, problem], style: TextStyle()) == """
        a.yaml: warning: cannot be read
        a.yaml: warning: cannot be read

        """)
  }

  @Test(
    "the caret is under its character, whatever precedes it",
    arguments: [
      ("\tx", 2, 3, "        x", "        ^"), ("ab\tx", 4, 5, "ab      x", "        ^"),
      ("東京x", 3, 4, "東京x", "    ^"), ("東京", 2, 3, "東京", "  ^~"), ("e\u{301}x", 3, 4, "e\u{301}x", " ^"),
      ("\u{1B}x", 2, 3, "\\u{1B}x", "      ^"), ("a", 2, 3, "a", " ^"), ("", 1, 2, "", "^"),
      ("ab", 9, 12, "ab", "  ^"),
      ("::error", 1, 3, ": :error", "^~~"), ("abc", 1, 99, "abc", "^~~"),
    ])
  func alignment(source: String, column: Int, end: Int, shown: String, caret: String) {
    let lines = lines(source, column: column, end: end)
    #expect(lines[1] == "  12 | \(shown)")
    #expect(lines[2] == "     | \(caret)")
  }

  @Test(
    "a long line is cut around the caret to fit",
    arguments: [1, 2, 5, 40, 70, 80, 150, 196, 197, 198, 199, 200, 201],
    [40, 80, 120])
  func cutting(column: Int, width: Int) throws {
    let source = String((0..<200).map { Character(String($0 % 10)) })
    let lines = lines(source, column: column, end: column + 3, width: width)
    #expect(lines[1].count <= width && lines[2].count <= width)
    #expect(lines[1].count > width - 8, "room is used")
    let caret = try #require(lines[2].firstIndex(of: "^")).utf16Offset(in: lines[2])
    if column <= 200 { #expect(Array(lines[1])[caret] == Array(source)[column - 1]) }
    if column > 100 { #expect(lines[1].hasPrefix("  12 | ...")) }
  }

  @Test func `a long line of wide characters is cut to fit too`() {
    let source = String(repeating: "東", count: 100)
    for column in 1...101 {
      let lines = lines(source, column: column, end: column + 50, width: 80)
      #expect(TextWidth.of(lines[1]) <= 80 && TextWidth.of(lines[2]) <= 80)
    }
  }

  @Test func `colour marks the word and the caret and nothing else changes`() {
    let problem = Diagnostic(
      file: "m.yaml", span: SourceSpan(line: 1, column: 1, endColumn: 3), message: "bad", hint: "good",
      sourceLine: "ab")
    let painted = DiagnosticText.render([problem], style: TextStyle(colour: true))
    #expect(painted.contains("\u{1B}[1;31merror:\u{1B}[0m"))
    #expect(painted.contains("\u{1B}[1;31m^~\u{1B}[0m"))
    #expect(Harm.withoutPaint(painted) == DiagnosticText.render([problem], style: TextStyle()))
  }
}
