import ManifestParsing
import SyncModel
import Testing

/// A manifest may contain anything; none crashes the parser or takes it long.
@Suite struct `Limits` {
  private func bytes(_ bytes: [UInt8]) -> [Diagnostic] {
    ManifestParser.parse(bytes, context: ManifestContext { _ in nil }).diagnostics
  }

  @Test func `more than 64 MiB is refused without being read`() {
    let diagnostics = bytes([UInt8](repeating: UInt8(ascii: "#"), count: ManifestParser.maximumSize + 1))
    #expect(diagnostics.map(\.message) == ["a manifest has at most 64 MiB"])
    #expect(diagnostics.first?.span == nil)
  }

  @Test(
    arguments: [
      (Array("version: 1\nvärs: \u{1F600}".utf8) + [0xFF, 0x0A], 2, 8, "not valid UTF-8"),
      (Array("a: \"x".utf8) + [0] + Array("y\"".utf8), 1, 6, "control character U+0000"),
      ([0xFF, 0xFE, 0x61, 0x00], 1, 1, "this is UTF-16, not UTF-8"),
      (Array("a: ".utf8) + [0xED, 0xA0, 0x80], 1, 4, "not valid UTF-8"),
      (Array("a: ".utf8) + [0xE2, 0x82], 1, 4, "not valid UTF-8"),
    ] as [([UInt8], Int, Int, String)])
  func `bytes that are not text are reported with their place`(
    input: [UInt8], line: Int, column: Int, message: String
  ) {
    let diagnostics = bytes(input)
    #expect(diagnostics.map(\.message) == [message])
    #expect(diagnostics.first?.span?.line == line && diagnostics.first?.span?.column == column)
  }

  @Test func `an empty file, or only a byte order mark, is an empty manifest`() {
    let nothing = ManifestParser.parse(
      UnsafeRawBufferPointer(start: nil, count: 0), context: ManifestContext { _ in nil })
    #expect(nothing.diagnostics.map(\.message) == ["the manifest is empty"])
    #expect(bytes([]).map(\.message) == ["the manifest is empty"])
    #expect(bytes([0xEF, 0xBB, 0xBF]).map(\.message) == ["the manifest is empty"])
  }

  @Test func `a byte order mark does not shift the first column`() {
    #expect(
      parse("\u{FEFF}verson: 1\ntargets: {}").diagnostics.first?.span
        == SourceSpan(line: 1, column: 1, endColumn: 7))
  }

  @Test(arguments: ["[", "{a: ", "- ", "? "])
  func `ten thousand levels are refused at the 65th level`(opening: String) {
    let diagnostics = parse(String(repeating: opening, count: 10_000)).diagnostics
    #expect(diagnostics.map(\.message) == ["more than 64 levels of nesting"])
    #expect(diagnostics.first?.span?.column == 64 * opening.utf8.count + 1)
  }

  @Test func `64 levels are allowed`() {
    let text = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
    #expect(
      messages("version: 1\ntargets: {}\nvars: \(text)") == [
        "\"vars\" must be a mapping from name to value, not a list"
      ])
  }

  @Test func `levels count through aliases`() {
    let lists = (1...70).map { "  a\($0): &a\($0) [*a\($0 - 1)]\n" }.joined()
    #expect(messages("vars:\n  a0: &a0 [x]\n" + lists) == ["more than 64 levels of nesting"])
  }

  @Test func `aliases that expand past a million nodes are refused`() {
    var lists = ""
    for level in 1...20 {
      let ten = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
      lists += "  a\(level): &a\(level) [\(ten)]\n"
    }
    #expect(messages("vars:\n  a0: &a0 [x]\n" + lists) == ["aliases expand to more than a million nodes"])
  }

  @Test func `many aliases to small values are allowed`() throws {
    let targets = (0..<2_000).map { "  a\($0): {<<: *d, url: x/a\($0)}\n" }.joined()
    let manifest = try manifest("version: 1\ntargets:\n  d: &d {url: x/d, retries: 9}\n" + targets)
    #expect(manifest.targets.count == 2_001 && manifest.targets.allSatisfy { $0.retries == 9 })
  }

  @Test func `variables that double forty times are refused`() {
    let vars = (1...40).map { "  a\($0): ${a\($0 - 1)}${a\($0 - 1)}\n" }.joined()
    #expect(
      messages("version: 1\ntargets: {}\nvars:\n  a0: x\n" + vars) == [
        "this is longer than 1 MiB after variables are expanded"
      ])
  }

  @Test func `chains as long as the manifest need no stack`() throws {
    let count = 20_000
    let vars = (0..<count).map { "  v\($0): ${v\($0 + 1)}\n" }.joined() + "  v\(count): x\n"
    let targets =
      (0..<count).map { "  t\($0): {url: x/\($0), needs: [t\($0 + 1)]}\n" }.joined()
      + "  t\(count): {url: x/y}\n"
    let groups = (0..<count).map { "  g\($0): [g\($0 + 1)]\n" }.joined() + "  g\(count): [t0]\n"
    let manifest = try manifest("version: 1\nvars:\n\(vars)targets:\n\(targets)groups:\n\(groups)")
    #expect(manifest.targets.count == count + 1)
    #expect(manifest.groups.allSatisfy { $0.members == [TargetID(0)] })
  }

  @Test func `a cycle as long as the manifest is named in full, once`() throws {
    let count = 5_000
    let targets = (0..<count).map { "  t\($0): {url: x/\($0), needs: [t\(($0 + 1) % count)]}\n" }.joined()
    let messages = messages("version: 1\ntargets:\n\(targets)")
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("targets in a cycle: t0 -> t1 -> t2 -> ") == true)
    #expect(messages.first?.hasSuffix(" -> t4999 -> t0") == true)
  }

  @Test func `two cycles are both named`() {
    let text = """
      version: 1
      targets:
        a: {url: x/a, needs: [b]}
        b: {url: x/b, needs: [a]}
        c: {url: x/c, after: [d]}
        d: {url: x/d, after: [c, a]}
      """
    #expect(messages(text) == ["targets in a cycle: a -> b -> a", "targets in a cycle: c -> d -> c"])
  }

  @Test func `ten thousand wrong names are all reported, with hints for the first ones`() {
    let targets = (0..<10_000).map { "  target\($0): {url: x/\($0), needs: [trget\($0)]}\n" }.joined()
    let diagnostics = parse("version: 1\ntargets:\n\(targets)").diagnostics
    #expect(diagnostics.count == 10_000)
    #expect(diagnostics.first?.hint == "did you mean \"target0\"?")
    #expect(diagnostics.map { $0.span?.line ?? 0 } == Array(3..<10_003))
  }

  @Test func `a huge value is cut in the message, and a huge line is not shown`() throws {
    let text = "version: 1\ntargets: {a: {url: x/y, retries: \(String(repeating: "x", count: 100_000))}}"
    let diagnostic = try #require(parse(text).diagnostics.first)
    #expect(diagnostic.message.utf8.count < 200)
    #expect(diagnostic.sourceLine == nil)
  }

  @Test(arguments: [
    ("url: 'http://h/${NAME}'", "undefined variable \"NAME\""),
    ("url: 'http://h/${env:NAME}'", "environment variable \"NAME\" is not set"),
  ])
  func `a huge name is cut in the message and in the hint`(keys: String, message: String) throws {
    func named(_ text: String, _ count: Int, _ rest: String) -> String {
      text.replacing("NAME", with: String(repeating: "x", count: count) + rest)
    }
    let text = "version: 1\ntargets: {a: {\(named(keys, 70_000, "")), output: a}}"
    let diagnostic = try #require(parse(text).diagnostics.first)
    // The quotation mark before the name is a part of the word.
    #expect(diagnostic.message == named(message, 99, "…"))
    #expect(diagnostic.hint?.utf8.count ?? 0 < 300)
  }

  @Test func `a manifest cut off anywhere, or with any byte changed, is read or refused`() throws {
    let whole = Array(try Corpus.text("good", "everything.yaml").utf8)
    var random = SplitMix(state: 1)
    for length in 0...whole.count {
      let parse = ManifestParser.parse(
        Array(whole[..<length]), context: ManifestContext { Corpus.environment[$0] })
      #expect((parse.manifest == nil) == !parse.diagnostics.isEmpty)
    }
    for _ in 0..<2_000 {
      var changed = whole
      for _ in 0..<3 {
        changed[Int(random.next() % UInt64(whole.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let parse = ManifestParser.parse(changed, context: ManifestContext { Corpus.environment[$0] })
      #expect((parse.manifest == nil) == !parse.diagnostics.isEmpty)
    }
  }

  @Test func `the limit counts what a matrix repeats, without the matrix itself`() {
    let values = (0..<1_000).map { "v\($0)" }.joined(separator: ", ")
    let needs = [String](repeating: "x", count: 330).joined(separator: ", ")
    func manifest(_ rest: String, _ last: Int) -> String {
      """
      version: 1
      targets:
        x: {url: x/x, output: x}
        ${a}/${b}:
          matrix: {a: [\(values)], b: 0..\(last)}
          url: "x/${a}/${b}"
          \(rest)
      """
    }
    // 1,000 values of a matrix are not repeated for each of 20,000 targets.
    #expect(messages(manifest("output: ${a}/${b}", 19)) == [])
    #expect(
      messages(manifest("needs: [\(needs)]", 99)) == ["matrices repeat more than 32 million keys and values"])
  }

  @Test func `errors after the maximal number of targets are reported, too`() {
    let text = """
      version: 1
      targets:
        ${a}-${b}: {matrix: {a: 1..2000, b: 1..2000}, url: "x/${c}"}
        first: {url: x/first, output: first}
        ${a}+${b}: {matrix: {a: 1..1000, b: 1..1000}, url: "x/${a}", output: "${d}"}
        last: {url: x/last, retries: many}
      """
    #expect(
      messages(text) == [
        "\"matrix\" creates more than a million targets", "undefined variable \"c\"",
        "more than a million targets", "undefined variable \"d\"",
        "\"retries\" must be a whole number such as 4, not \"many\"",
      ])
  }

  @Test func `ten thousand targets are read`() throws {
    let targets = (0..<10_000).map {
      "  a\($0):\n    url: ${m}/\($0).gz\n    output: d\($0 % 10)/\($0)\n    steps: [gunzip]\n"
    }
    let manifest = try manifest("version: 1\nvars: {m: https://example.org}\ntargets:\n" + targets.joined())
    #expect(manifest.targets.count == 10_000)
    #expect(manifest.targets[9_999].output.path.text == "d9/9999")
  }
}

/// A generator with the same numbers in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
