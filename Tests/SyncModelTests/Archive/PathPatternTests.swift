import SyncModel
import Testing

@Suite struct PathPatternTests {
  private func parts(_ path: String) -> [ArraySlice<UInt8>] { Array(path.utf8).split(separator: 0x2f) }

  @Test(
    arguments: [
      ("*/rg", ["a/rg"], ["rg", "a/b/rg", "a/rg.1"]),
      ("rg", ["rg", "a/rg", "a/b/rg"], ["rg/x", "org", "RG"]),
      ("/rg", ["rg"], ["a/rg"]),
      ("a/rg", ["a/rg"], ["b/a/rg", "a/b/rg"]),
      ("**/rg", ["rg", "a/rg", "a/b/rg"], ["a/rg/x"]),
      ("a/**", ["a/b", "a/b/c"], ["a", "b/a"]),
      ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a", "b", "a/x"]),
      ("a/**/b/**/c", ["a/b/c", "a/1/b/2/3/c", "a/b/b/c"], ["a/c", "a/b"]),
      ("**/a/*.txt", ["a/x.txt", "q/a/.txt"], ["a/b/x.txt"]),
      ("*.tar.*", ["x.tar.gz", "d/x.tar.xz"], ["x.tar"]),
      ("a*b*c", ["abc", "axxbyyc", "abbcc"], ["ab", "abcd"]),
      ("?", ["a", "é", "x/日"], ["ab", ""]),
      ("[a-c]x", ["ax", "cx", "d/bx"], ["dx", "x", "Ax"]),
      ("[!a-c]x", ["dx", "éx"], ["ax", "x"]),
      ("[[:alpha:]_]", ["a", "Z", "_"], ["1", ":", "é"]), ("[![:space:][:digit:]]", ["a"], ["1", " "]),
      ("[[:none:]]", ["n]", ":]"], ["n", "z]"]),
      ("[^a]", ["b"], ["a", "bb"]),
      ("[]a]", ["]", "a"], ["b"]),
      ("[a-]", ["a", "-"], ["b"]),
      ("[é-ê]", ["é", "ê"], ["è", "e"]),
      ("[\\]]", ["]"], ["\\"]),
      ("\\*", ["*"], ["a"]),
      ("\\!a", ["!a"], ["a"]),
      ("a b", ["a b"], ["a"]),
      ("a**b", ["ab", "axb"], ["a/b"]),
    ] as [(String, [String], [String])])
  func `a pattern matches as in gitignore`(text: String, yes: [String], no: [String]) throws {
    let pattern = try PathPattern(text)
    for path in yes { #expect(pattern.matches(parts(path)), "\(text) should match \(path)") }
    for path in no { #expect(!pattern.matches(parts(path)), "\(text) should not match \(path)") }
  }

  @Test func `a slash at the end means folders only`() throws {
    let pattern = try PathPattern("doc/")
    #expect(pattern.isOfFolders)
    #expect(pattern.matches(parts("a/doc"), isFolder: true))
    #expect(!pattern.matches(parts("a/doc"), isFolder: false))
  }

  @Test func `what is in an excluded folder is excluded`() throws {
    let patterns = [try PathPattern("dev"), try PathPattern("doc/")]
    #expect(patterns.excludes(parts("a/dev/null"), isFolder: false))
    #expect(patterns.excludes(parts("doc/x"), isFolder: false))
    #expect(!patterns.excludes(parts("doc"), isFolder: false))
    #expect(!patterns.excludes(parts("a/b"), isFolder: false))
  }

  @Test func `the last pattern that matches decides`() throws {
    let patterns = [try PathPattern("*.o"), try PathPattern("!keep.o")]
    #expect(patterns.excludes(parts("x.o"), isFolder: false))
    #expect(!patterns.excludes(parts("keep.o"), isFolder: false))
    // As for git, nothing in an excluded folder is taken back.
    let inFolder = [
      try PathPattern("/a/"), try PathPattern("!/a/keep"), try PathPattern("?"), try PathPattern("!.h/"),
    ]
    #expect(inFolder.excludes(parts("a/keep"), isFolder: false))
    #expect(inFolder.excludes(parts(".h/q/b"), isFolder: false))
    #expect(!inFolder.excludes(parts(".h/long"), isFolder: false))
    let contents = [try PathPattern("/a/**"), try PathPattern("!/a/keep")]
    #expect(!contents.excludes(parts("a/keep"), isFolder: false))
    #expect(contents.excludes(parts("a/other"), isFolder: false))
  }

  @Test func `bytes that are not UTF-8 are compared as they are`() throws {
    #expect(try PathPattern("a?").matches([[0x61, 0xff][...]]))
    #expect(try PathPattern("a*").matches([[0x61, 0xff, 0xfe][...]]))
    #expect(try !PathPattern("a?").matches([[0x61, 0xff, 0xfe][...]]))
  }

  @Test(
    arguments: [
      ("", .empty), ("/", .empty), ("!", .empty), ("[a", .openBracket), ("[]", .openBracket),
      ("[a\\", .openBracket),
      ("a\\", .openEscape), ("a\nb", .control),
    ] as [(String, PathPattern.Fault)])
  func `these are no patterns`(text: String, fault: PathPattern.Fault) {
    #expect(throws: fault) { try PathPattern(text) }
  }

  @Test func `no pattern takes long`() throws {
    let pattern = try PathPattern("**/" + String(repeating: "*a", count: 60) + "/**/b/**/c")
    let name = String(repeating: "a", count: 200)
    let path = parts((0..<50).map { _ in name }.joined(separator: "/"))
    let clock = ContinuousClock()
    let took = clock.measure { #expect(!pattern.matches(path)) }
    #expect(took < .seconds(5))
  }
}
