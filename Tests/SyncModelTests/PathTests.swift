import SyncModel
import Testing

@Suite struct `A relative path` {
  @Test(arguments: [
    ("a", "a"), ("a/b", "a/b"), ("./a//b/.", "a/b"), ("a/../b", "b"), ("a/b/../../c", "c"), ("...", "..."),
    (".a/..b", ".a/..b"), ("a/\u{301}b", "a/\u{301}b"), ("a\\b", "a\\b"),
  ])
  func `is normalised`(text: String, expected: String) throws {
    #expect(try RelativePath(text).text == expected)
  }

  @Test(arguments: [
    ("", RelativePath.Fault.empty), (".", .empty), ("a/..", .empty), ("/", .absolute), ("/a", .absolute),
    ("..", .leavesRoot), ("a/../../b", .leavesRoot), ("../\u{301}x", .leavesRoot), ("a/", .endsInSlash),
    ("a\0b", .hasNUL),
  ])
  func `is refused with the name of its fault`(text: String, fault: RelativePath.Fault) {
    #expect(throws: fault) { try RelativePath(text) }
  }

  @Test func `is divided into parts by bytes`() throws {
    let path = try RelativePath("a/\u{301}b/c")
    #expect(path.parts.count == 3)
    #expect(path.name == "c")
    #expect(path.parentParts.count == 2)
    #expect(try RelativePath("a").isFolder(of: path))
    #expect(try !RelativePath("a").isFolder(of: RelativePath("a")))
    #expect(try !RelativePath("a").isFolder(of: RelativePath("ab/c")))
    #expect(try RelativePath("a/b/c").folders.map(\.text) == ["a", "a/b"])
    #expect(try RelativePath("a").folders.isEmpty)
  }

  @Test func `is another path if its bytes differ`() throws {
    let (composed, split) = (try RelativePath("\u{E9}"), try RelativePath("e\u{301}"))
    #expect(composed != split)
    #expect(Set([composed, split]).count == 2)
  }
}

@Suite struct `The text of a path` {
  @Test func `is cut at slashes, whatever combines with them`() {
    #expect("a/\u{301}b".lastPart == "\u{301}b")
    #expect("a/\u{301}b".folderPrefix == "a/")
    #expect("a/\u{301}b".folderPath == "a")
    #expect(("/b".folderPath, "b".folderPath, "b".folderPrefix) == ("/", ".", ""))
    #expect("a/\u{301}b".isPath(in: "a"))
    #expect("/a".isPath(in: "/"))
    #expect(!"ab/c".isPath(in: "a"))
    #expect(!"a".isPath(in: "a"))
    #expect("./././a".withoutDotSlash == "a")
  }
}

@Suite struct `A target's name` {
  @Test(arguments: [
    ("a", true), ("A9_.+/-", true), ("9", true), ("_", true), ("", false), ("-a", false), ("a b", false),
    (".a", false), ("é", false), ("a\u{301}", false), ("a\n", false),
  ])
  func `consists of letters, digits and a few signs`(text: String, isValid: Bool) {
    #expect(TargetName.isValid(text) == isValid)
  }
}

@Suite struct `A hexadecimal digest` {
  @Test func `has the length of its algorithm and lower case`() {
    #expect(HexDigest(String(repeating: "aB", count: 16), .md5)?.text == String(repeating: "ab", count: 16))
    #expect(HexDigest(String(repeating: "a", count: 31), .md5) == nil)
    #expect(HexDigest(String(repeating: "g", count: 32), .md5) == nil)
    #expect(HexDigest(String(repeating: "é", count: 16), .md5) == nil)
    #expect(DigestAlgorithm.allCases.map(\.hexCount) == [32, 40, 64, 128])
  }

  @Test func `is made from bytes or from any even number of digits`() {
    #expect(HexDigest(bytes: [0, 0x7F, 0xFF]).text == "007fff")
    #expect(HexDigest(hex: "") == nil)
    #expect(HexDigest(hex: "abc") == nil)
  }
}

@Suite struct `A secret mask` {
  @Test func `hides every secret, the longer before the shorter`() {
    let mask = SecretMask(values: ["abc", "abcdef", "", "x y"])
    #expect(mask.mask("abcdef-abc-x y-x%20y-ab") == "***-***-***-***-ab")
    #expect(!mask.isEmpty && SecretMask(values: [""]).isEmpty)
    #expect(SecretMask().mask("abc") == "abc")
  }

  @Test(arguments: [
    ("u", "abc", "dTphYmM="), ("us", "abc", "dXM6YWJj"), ("", "abc", "OmFiYw=="), ("abc", "", "YWJjOg=="),
  ])
  func `hides the encoded user and password in a header`(user: String, password: String, header: String) {
    var mask = SecretMask(values: ["abc"])
    mask.addBasic(user: user, password: password)
    #expect(mask.mask("Basic \(header)") == "Basic ***")
  }

  @Test func `does not hide the header of a user and a password that are not secret`() {
    var mask = SecretMask(values: ["abc"])
    mask.addBasic(user: "u", password: "p")
    #expect(mask.mask("dTpw") == "dTpw")
  }

  @Test func `compares bytes, so that no combining character hides a secret`() {
    let mask = SecretMask(values: ["abc"])
    #expect(mask.mask("abc\u{301}") == "***\u{301}")
    #expect(mask.mask("ab") == "ab")
  }
}

@Suite struct `The nearest name` {
  @Test(
    arguments: [
      ("etags", ["etag", "mtime"], "etag"), ("outptu", ["url", "output"], "output"), ("ulr", ["url"], "url"),
      ("URL", ["url"], "url"), ("zzz", ["url"], nil), ("x", ["y"], nil), ("a", ["ab"], "ab"),
      ("", ["a", "a/"], nil), ("genes", ["genes2", "sub/genes"], "sub/genes"), ("q", ["sub/q"], "sub/q"),
      ("genes", ["genes"], nil), ("ab", ["ax", "ay"], "ax"),
    ] as [(String, [String], String?)])
  func `differs in at most a third of the word`(text: String, candidates: [String], expected: String?) {
    #expect(NearestName.find(text, among: candidates) == expected)
  }

  @Test func `is not searched for very long texts`() {
    let long = String(repeating: "x", count: 100_000)
    #expect(NearestName.find(long, among: [long + "y", "x"]) == nil)
  }
}
