import Planning
import SyncModel
import Testing

@Suite struct ChecksumListTests {
  private static let d = "d41d8cd98f00b204e9800998ecf8427e"
  private static let e = "e41d8cd98f00b204e9800998ecf8427e"
  private static let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"

  private func read(
    _ text: String, _ algorithm: DigestAlgorithm = .md5, names: [String] = ["a.gz", "a"], exact: Bool = false
  ) throws(SidecarFault) -> String {
    try ChecksumList(Array(text.utf8)).digest(algorithm, names: names, exactName: exact).text
  }

  @Test(arguments: [
    "\(d)", "\(d)\n", "\(d)\r\n", "  \(d)  \n", "\u{FEFF}\(d)\n", "\(d.uppercased())\n",
    "\(d)  a.gz\n", "\(d) *a.gz\n", "\(d) a.gz", "\(d)\ta.gz\r\n", "\(d)  ./a.gz\n", "\(d) *./a.gz\n",
    "\u{FEFF}\(d.uppercased())  a.gz\r\n",
    "MD5 (a.gz) = \(d)\n", "MD5 (./a.gz) = \(d)\r\n", "MD5(a.gz)= \(d)\n", "md5 (a.gz) = \(d.uppercased())",
    "# made by md5sum\n; and signed\n\n\(d)  a.gz\n", "\n\n\(d)\n\n",
    "\(e)  b.gz\n\(d)  a.gz\n\(e)  c.gz\n", "\(e)  b.gz\r\n\(d)  a.gz\r\n",
    "MD5 (b.gz) = \(e)\nMD5 (a.gz) = \(d)\n",
    "SHA1 (a.gz) = \(sha1)\nMD5 (a.gz) = \(d)\nBLAKE2b-256 (a.gz) = \(e)\(e)\n",
    "\(d)  something-else.gz\n", "\(d)  dir/a.gz\n", "\(e)  b.gz\n\(d)  dir/sub/a.gz\n",
    "\(e)  old/a.gz\n\(d)  a.gz\n", "\(d)  a.gz\n\(d)  a.gz\n", "\(d)  a.gz\n\(d) *./a.gz\n",
    "\(e)  other\n\(d)  a\n", "\(e)  a\n\(d)  a.gz\n", "\(e)  old\(d).gz\n\(d)  a.gz\n",
    "\(sha1)  other\n\(d)  a.gz\n", "\(d)  a.gz\nhello\n", "\(d)  a.gz\n\(sha1)  a.gz\n", "\(sha1)\n\(d)\n",
    "\(e) *a\\b\\b.gz\r\n\(d) *a\\b\\a.gz\r\n", "\(e)  b.gz\r\(d)  a.gz\r",
    "Origin: X\nMD5Sum:\n \(e) 12 other/b.gz\n \(d)     1234 a.gz\nSHA1:\n \(sha1)  1234 a.gz\n",
    "md5: \(d)\nsize: 12\n", "a.gz: \(d)\n", "x\n\(d)  b/a.gz\n",
  ])
  func `these forms give the digest of a-dot-gz`(text: String) throws {
    #expect(try read(text) == Self.d)
  }

  @Test(
    arguments: [
      (" \n\r\n", .empty), ("", .empty), ("# nothing but words\n", .empty),
      ("<!DOCTYPE html>\n<html>", .seems(.html)),
      ("\u{FEFF}\n  <html>", .seems(.html)), ("<?xml version=\"1.0\"?>", .seems(.xml)),
      ("<?xml version=\"1.0\"?><!DOCTYPE html>", .seems(.html)), ("<p>", .seems(.html)),
      ("\u{1}\u{2}\u{8}\u{0}", .notText), ("\(d)\u{0}", .notText), ("\(d)  a.gz\u{7F}", .notText),
      ("not found\n", .unreadableLine(number: 1)), ("\(d)\nhello\n", .unreadableLine(number: 2)),
      ("\(d)  b.gz\nhello\n", .noEntry(name: "a.gz", count: 1)), ("{\"md5\": \"\(d)\"}", .seems(.json)),
      ("\(d)a.gz!\n", .unreadableLine(number: 1)),
      ("\(d) *\n", .unreadableLine(number: 1)), ("MD5 (a.gz) \(d)", .unreadableLine(number: 1)),
      ("MD5 () = \(d)", .unreadableLine(number: 1)), ("MD5 (a.gz) =", .unreadableLine(number: 1)),
      ("MD5 (a.gz) = nonsense", .unreadableLine(number: 1)), ("()", .unreadableLine(number: 1)),
      (")(", .unreadableLine(number: 1)), ("\\", .unreadableLine(number: 1)),
      ("\(sha1)\n", .wrongLength(expected: 32, actual: 40)),
      ("\(sha1)  a.gz\n\(e)  b.gz\n", .wrongLength(expected: 32, actual: 40)),
      ("abc  a.gz\n", .wrongLength(expected: 32, actual: 3)),
      ("SHA1 (a.gz) = \(sha1)\n", .wrongLength(expected: 32, actual: 40)),
      ("SM3 (a.gz) = \(d)\n", .otherAlgorithm("sm3", name: "a.gz")),
      ("MD5 (a.gz) = \(sha1)\n", .wrongLength(expected: 32, actual: 40)),
      ("\(d)  a.gz\n\(e)  a.gz\n", .ambiguous(name: "a.gz")),
      ("\(d)  x/a.gz\n\(e)  y/a.gz\n", .ambiguous(name: "a.gz")),
      ("\(d)  b.gz\n\(e)  c.gz\n", .noEntry(name: "a.gz", count: 2)),
      ("\(d)  b.gz\r\(e)  c.gz\r", .noEntry(name: "a.gz", count: 2)),
      ("\\\(d)  x\\\\a.gz\n\(e)  b.gz\n", .noEntry(name: "a.gz", count: 2)),
      ("\(d)\n\(e)\n", .noEntry(name: "a.gz", count: 2)),
      ("\(d)  ba.gz\n\(e)  a.gz.old\n", .noEntry(name: "a.gz", count: 2)),
      ("SHA1 (a.gz) = \(sha1)\nSHA1 (b.gz) = \(sha1)\n", .otherAlgorithm("sha1", name: "a.gz")),
    ] as [(String, SidecarFault)])
  func `these forms give no digest, and the error says why`(text: String, fault: SidecarFault) {
    #expect(throws: fault) { try read(text) }
  }

  @Test(arguments: DigestAlgorithm.allCases) func `each algorithm has its tag and its length`(
    algorithm: DigestAlgorithm
  ) throws {
    let digest = String(repeating: "ab", count: algorithm.byteCount)
    #expect(try read("\(algorithm.rawValue.uppercased()) (a.gz) = \(digest)", algorithm) == digest)
    #expect(try read(digest, algorithm) == digest)
    let short = String(digest.dropLast(2))
    #expect(throws: SidecarFault.wrongLength(expected: algorithm.hexCount, actual: algorithm.hexCount - 2)) {
      try read(short, algorithm)
    }
  }

  @Test(arguments: ["SHA256", "sha256", "SHA2-256", "SHA-256"])
  func `an algorithm tag may be spelt in several ways`(
    tag: String
  ) throws {
    let digest = String(repeating: "ab", count: 32)
    let other = String(repeating: "cd", count: 32)
    #expect(try read("SHA512/256 (a.gz) = \(other)\n\(tag) (a.gz) = \(digest)", .sha256) == digest)
  }

  @Test func `the URL's file name has precedence over the output's`() throws {
    #expect(try read("\(Self.d)  a\n\(Self.e)  a.gz\n", names: ["a", "a.gz"]) == Self.d)
    #expect(try read("\(Self.d)  a\n\(Self.e)  a.gz\n", names: ["a.gz", "a"]) == Self.e)
  }

  @Test func `an entry must have exactly the name`() throws {
    let list = "\(Self.e)  b.gz\n\(Self.d)  ./dir/a.gz\n"
    #expect(try read(list, names: ["dir/a.gz"], exact: true) == Self.d)
    #expect(try read(list, names: ["./dir/a.gz"], exact: true) == Self.d)
    #expect(throws: SidecarFault.noEntry(name: "a.gz", count: 2)) {
      try read(list, names: ["a.gz"], exact: true)
    }
    #expect(throws: SidecarFault.noEntry(name: "a.gz", count: 1)) {
      try read("\(Self.d)  b", names: ["a.gz"], exact: true)
    }
    #expect(throws: SidecarFault.noEntry(name: "a.gz", count: 1)) {
      try read(Self.d, names: ["a.gz"], exact: true)
    }
  }

  @Test func `names may hold spaces, brackets and stars, and escapes are undone`() throws {
    #expect(try read("\(Self.e)  x\n\(Self.d)  my file (1).gz\n", names: ["my file (1).gz"]) == Self.d)
    #expect(try read("MD5 (x) = \(Self.e)\nMD5 (a (1) = b) = \(Self.d)\n", names: ["a (1) = b"]) == Self.d)
    #expect(try read("\(Self.e)  x\n\\\(Self.d)  a\\\\b\\nc\n", names: ["a\\b\nc"], exact: true) == Self.d)
    #expect(try read("\(Self.e)  x\n\(Self.d) **star\n", names: ["*star"], exact: true) == Self.d)
  }

  /// As `sha256sum -c` does. A sidecar is read with any blanks, and so is a line with a tab.
  @Test(arguments: [
    ("  a", "a"), (" *a", "a"), (" a", "a"), ("   a", " a"), ("  a ", "a "), ("  *a", "*a"), (" **a", "*a"),
    ("  ./a", "a"), ("  a\r", "a"), ("\ta ", "a"), (" \t *a", "a"), ("\t\ta", "a"),
  ])
  func `in a list exactly one blank and a mode come before a name`(_ rest: String, _ name: String) throws {
    #expect(try ChecksumList.files(in: Array("\(Self.d)\(rest)\n".utf8)).map(\.name) == [name])
    #expect(try read("\(Self.e)  x\n\(Self.d)\(rest)\n", names: ["a", "*a"], exact: true) == Self.d)
  }

  @Test func `an escaped name keeps the blanks at its ends`() throws {
    #expect(try ChecksumList.files(in: Array("\\\(Self.d)   a\\n \n".utf8)).map(\.name) == [" a\n "])
  }

  @Test func `names that are not UTF-8 match no file`() throws {
    let list = Array("\(Self.e)  ".utf8) + [0xE9, 0x0A] + Array("\(Self.d)  a.gz\n".utf8)
    #expect(try ChecksumList(list).digest(.md5, names: ["a.gz"], exactName: false).text == Self.d)
  }

  @Test func `a long list is read once for many look-ups`() throws {
    let lines = (0..<20_000).map { "\(String(repeating: "0", count: 32 - String($0).count))\($0)  f\($0)\n" }
    let list = try ChecksumList(Array(lines.joined().utf8))
    for number in [0, 1, 777, 19_999] {
      let digest = try list.digest(.md5, names: ["f\(number)"], exactName: true)
      #expect(Int(digest.text) == number)
    }
    // Each of as many targets can have an `entry`.
    #expect(
      try (0..<20_000).allSatisfy { (number: Int) in
        Int(try list.digest(.md5, entry: EntryPattern("f\(number)")).text) == number
      })
  }

  /// A name is looked up, and the pattern is compared with each line.
  @Test(arguments: [("a.gz", "a.g?"), ("./a.gz", "*a.gz"), ("dir/a.gz", "dir/?.gz"), ("b.gz", "b.*")])
  func `an entry without wildcards is as a pattern that matches the same lines`(name: String, pattern: String)
    throws
  {
    func result(_ entry: String, _ text: String) -> Result<String, SidecarFault> {
      Result { () throws(SidecarFault) in
        try ChecksumList(Array(text.utf8)).digest(.md5, entry: EntryPattern(entry)).text
      }
    }
    // Faults have the entry as it is written.
    func isSame(_ a: Result<String, SidecarFault>, _ b: Result<String, SidecarFault>) -> Bool {
      "\(a)".replacing(name, with: "E") == "\(b)".replacing(pattern, with: "E")
    }
    let lists = [
      "\(Self.d)  a.gz\n", "\(Self.d)  dir/a.gz\n", "\(Self.d)  a.gz\n\(Self.e)  ./a.gz\n",
      "\(Self.d)  a.gz\n\(Self.d)  dir/a.gz\n", "\(Self.d)  a.gz\n\(Self.sha1)  a.gz\n",
      "\(Self.sha1)  a.gz\n", "SHA1 (a.gz) = \(Self.sha1)\nMD5 (a.gz) = \(Self.d)\n", "\(Self.d)\n",
      "\(Self.d)  b.gz\n\(Self.e)  b.gz\n", "\(Self.e)  x/dir/a.gz\n\(Self.d)  dir/a.gz\n",
    ]
    for text in lists {
      #expect(isSame(result(name, text), result(pattern, text)), "\(text)")
    }
  }

  /// Any text gives an answer or a fault.
  @Test func `no bytes crash the reader`() {
    var random = SplitMix(seed: 3)
    let alphabet = Array("0123456789abcdefMD5 ()=*./\\\n\r\t#;:-<\u{FEFF}z".utf8) + [0, 0xFF]
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      if let digest = try? ChecksumList(bytes).digest(.md5, names: ["a"], exactName: false) {
        #expect(digest.text.utf8.count == 32)
      }
    }
  }
}

/// A generator whose numbers depend on its seed alone (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
