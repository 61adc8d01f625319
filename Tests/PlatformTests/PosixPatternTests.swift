import Platform
import Testing

@Suite struct PosixPatternTests {
  private func group(_ pattern: String, _ line: String) throws -> String? {
    let pattern = try PosixPattern(pattern)
    // A slice whose first index is not zero.
    let bytes = Array("xx\(line)".utf8).dropFirst(2)
    return pattern.group(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("v([0-9.]+)", "tool v1.4 v2", "1.4"), ("^(.*)$", "all", "all"), ("^(.*)$", "", ""), ("(b)", "a", nil),
      ("a|(b)", "a", nil), ("(ä)", "xä", "ä"), ("([[:digit:]]{4})", "in 2026", "2026"),
      ("(b)", "a\u{0}b", "b"),
    ] as [(String, String, String?)])
  func `the first group of the first match is found`(pattern: String, line: String, expected: String?) throws
  {
    #expect(try group(pattern, line) == expected)
  }

  @Test func `groups are counted`() throws {
    #expect(try PosixPattern("a").groups == 0)
    #expect(try PosixPattern("(a)(b(c))").groups == 3)
    #expect(try PosixPattern(#"\(a\)"#).groups == 0)
  }

  @Test(arguments: ["(a", "a)b(", "[a", "a{2,1}", "*("]) func `what is no expression is refused`(
    pattern: String
  ) {
    do throws(PosixPattern.Fault) {
      _ = try PosixPattern(pattern)
      Issue.record("\(pattern) is an expression")
    } catch {
      #expect(!error.text.isEmpty)
    }
  }
}
