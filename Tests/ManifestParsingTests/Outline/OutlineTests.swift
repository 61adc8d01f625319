import SyncModel
import SyncTestSupport
import Testing

@testable import ManifestParsing

/// After an edit a manifest counts as the same only if the full reading agrees (docs/decisions/0012).
@Suite struct OutlineTests {
  private static let key = ByteSum.Key(words: (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210))

  /// A text as the full path reads it.
  private struct Reading {
    let outline: ManifestOutline?
    /// Every node, without places.
    let tree: [String]

    /// `nil` if the text is not a document.
    init?(_ text: [UInt8]) {
      let read: Reading? = text.withUnsafeBytes { bytes in
        let source = SourceText(bytes)
        var log = DiagnosticLog()
        guard let document = YAMLDocumentReader.read(source, log: &log), log.isEmpty else { return nil }
        var maker = OutlineMaker(document, source, OutlineTests.key)
        return Reading(outline: maker.outline(), tree: document.root.map { Self.tree(document, $0) } ?? [])
      }
      guard let read else { return nil }
      self = read
    }

    private init(outline: ManifestOutline?, tree: [String]) {
      self.outline = outline
      self.tree = tree
    }

    private static func tree(_ document: YAMLDocument, _ id: NodeID) -> [String] {
      let node = document[id]
      let children = document.children(of: id)
      let own = "\(node.kind) \(node.isPlain) \(node.isFlow) \(children.count) \(document.text(of: id))"
      return [own] + children.flatMap { tree(document, $0) }
    }
  }

  private static func revision(_ outline: ManifestOutline, _ text: [UInt8]) -> ManifestRevision? {
    text.withUnsafeBytes { outline.revised(to: $0, key) }
  }

  /// `nil` also if the content differs.
  private static func revised(_ outline: ManifestOutline, _ text: [UInt8]) -> ManifestOutline? {
    revision(outline, text).flatMap { $0.changes == nil ? $0.outline : nil }
  }

  /// The fault of `revision`, from `before` to `text`; `nil` if it agrees with reading everything.
  private static func objection(
    _ revision: ManifestRevision, _ text: [UInt8], _ before: Reading
  ) -> String? {
    guard let whole = Reading(text), let outline = whole.outline else { return "the whole has no outline" }
    guard outline == revision.outline else { return "the whole's outline is another" }
    let (old, new) = (before.outline?.parts ?? [], outline.parts)
    guard old.map(\.name) == new.map(\.name) else { return "other names" }
    let changed = zip(old, new).filter { $0.meaning != $1.meaning }.map { $1 }
    guard changed.count == revision.changes?.count ?? 0 else { return "\(changed.count) changed" }
    guard let changes = revision.changes else { return whole.tree == before.tree ? nil : "another tree" }
    guard changed.allSatisfy({ $0.name != 0 }) else { return "one without a name" }
    // The part that is read as a separate manifest has the same content, and so has the rest.
    guard let alone = Reading(changes.text)?.outline else { return "the changes have no outline" }
    let expected = [new[0]] + changed + (outline.hasTail ? [new[new.count - 1]] : [])
    return alone.parts == expected && alone.indent == outline.indent ? nil : "other changes"
  }

  private static let layouts = [
    """
    # A manifest.
    version: 1
    defaults: {retries: 2}
    targets:
      # The first.
      plain:
        url: https://example.org/a
        output: data/a   # here

      'quoted': {url: "https://example.org/b", steps: [gunzip, {verify: {size: 3}}]}
      "folded":
        url: https://example.org/c
        description: >
          many words
            and more

          of them
      literal:
        description: |+
          kept

        url: https://example.org/d
      long:
        url: "https://example.org/\\
          e"
        description: several
          lines of
          plain text
      listed:
        urls:
        - https://example.org/f
        - https://example.org/g
      braces: {
        url: https://example.org/h,
        output: h
        }
      last:
        url: https://example.org/i
        description: |
          the end

    """,
    "---\nversion: 1\nvars: {a: b}\ntargets:\n a: {url: x}\n b: {url: y}\n\n\n c: {url: z}\ngroups:\n  g: [a, b]\nhosts: {}\n",
    "version: 1\r\ntargets:\r\n    a:\r\n      url: x\r\n    b:\r\n      url: y\r\n",
    "\u{FEFF}version: 1\ntargets:\n  ä: {url: é}\n  b: {url: 'ü\u{85}  x'}\n  c: {url: z}\n...\n",
    "  version: 1\n  targets:\n    a: {url: x}\n    b: {url: y}\n  groups: {}\n",
    "? version\n: 1\n? targets\n:\n  a: {url: x}\n  b: {url: y}\n",
    "version: 1\ntargets:\n  a: {url: x}\n  b: {url: y}\n? groups\n: {g: [a]}\n",
    "version: 1\n?\n  vars\n: {a: b}\ntargets:\n  a: {url: x}\n  b: {url: y}\ngroups: {g: [a]}\n",
  ]

  private static let snippets = [
    "# note\n", "# note", "\n", "\n\n", " ", "  ", "    ", "\t", "      # deep\n", "      more words\n",
    "        more words\n",
    "  x: {url: w}\n", "    retries: 3\n", "---\n", "...\n", "%YAML 1.1\n", "&a ", "*a", "!t ", "|\n", ">\n",
    "|", ">",
    "? ", "?\n", "  ?\n", ":\n", "  :\n", ": ", ":", "- ", "-", ",", "{", "}", "[", "]", "'", "\"", "\\",
    "\r", "\r\n", "\u{FEFF}", "\u{85}",
    "\u{2028}", "x",
    "~", "0", "targets:\n", "targets", "a", "<<: {}\n", "\u{0}",
  ]

  /// A random place in `text`, often the beginning of a line.
  private static func place(_ text: [UInt8], _ random: inout SeededGenerator) -> Int {
    let place = random.below(text.count + 1)
    guard !random.oneIn(3) else { return place }
    return text[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
  }

  private static func edit(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var text = text
    let at = place(text, &random)
    switch random.below(9) {
    case 0, 1, 2:
      text.insert(contentsOf: random.pick(["# note\n", "\n", "      # deep\n", " "]).utf8, at: at)
    case 3, 4: text.insert(contentsOf: random.pick(snippets).utf8, at: at)
    case 5: text.removeSubrange(at..<min(text.count, at + 1 + random.below(12)))
    case 6:
      // One or several lines are removed or repeated.
      let end = text[at...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      let lines = Array(text[at..<end])
      if random.oneIn(2) { text.removeSubrange(at..<end) } else { text.insert(contentsOf: lines, at: at) }
    case 7:
      // Some lines are moved to the right or to the left.
      var at = at
      let (count, isRight) = (1 + random.below(5), random.oneIn(2))
      for _ in 0..<count where at < text.count {
        if isRight {
          text.insert(UInt8(ascii: " "), at: at)
        } else if text[at] == UInt8(ascii: " ") {
          text.remove(at: at)
        }
        at = text[at...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      }
    default:
      guard at < text.count else { break }
      text[at] = random.pick(Array(" #:'\"{}[]|>-\nx,".utf8))
    }
    return text
  }

  @Test func `after any edit the outline gives the same answer as reading the whole manifest`() throws {
    let tally = TortureTally("manifest-edits")
    let texts =
      try Self.layouts.map { Array($0.utf8) } + Corpus.names("good").map { try Corpus.bytes("good", $0) }
    let befores = texts.compactMap { text in Reading(text).flatMap { $0.outline == nil ? nil : (text, $0) } }
    #expect(befores.count >= 10)
    let taken = TortureTally("manifest-edits, taken for the same")
    let changed = TortureTally("manifest-edits, told by their changes")
    try Torture.play(usually: 4_000) { numbers in
      for number in numbers {
        var random = SeededGenerator(seed: Torture.seed, case: number)
        let (before, reading) = random.pick(befores)
        var after = before
        for _ in 0...random.below(2) { after = Self.edit(after, &random) }
        tally.count()
        guard let revision = reading.outline.flatMap({ Self.revision($0, after) }) else { continue }
        (revision.changes == nil ? taken : changed).count()
        if let objection = Self.objection(revision, after, reading) {
          let text = String(decoding: after, as: UTF8.self).debugDescription
          tally.violation("case \(number): \(objection): \(text)")
        }
      }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
    // Many of these edits change nothing.
    #expect(taken.cases > tally.cases / 20)
    #expect(changed.cases > tally.cases / 50)
  }

  @Test func `a comment between any two targets changes nothing`() throws {
    let text = Array(Self.layouts[0].utf8)
    let outline = try #require(Reading(text)?.outline)
    #expect(outline.parts.count == 9)
    #expect(outline.parts.reduce(0) { $0 + Int($1.length) } == text.count)
    var place = 0
    for part in outline.parts.dropLast() {
      place += Int(part.length)
      for note in ["# note\n", "\n", "  # note\n"] {
        let edited = text[..<place] + note.utf8 + text[place...]
        let revised = Self.revised(outline, Array(edited))
        #expect(revised != nil && revised == Reading(Array(edited))?.outline, "\(place): \(note)")
      }
    }
    #expect(Self.revised(outline, text + "# note\n".utf8) != nil)
    #expect(Self.revised(outline, Array("# note\n".utf8) + text) != nil)
  }

  @Test func `a line that continues a block of text is not a comment`() throws {
    let text = "version: 1\ntargets:\n  a:\n    url: x\n    description: |\n      text\n  b: {url: y}\n"
    let outline = try #require(Reading(Array(text.utf8))?.outline)
    let edited = text.replacing("  b:", with: "      # text too\n  b:")
    #expect(Self.revised(outline, Array(edited.utf8)) == nil)
  }

  @Test(arguments: [
    "version: 1\ntargets: {a: {url: x}}\n", "{version: 1, targets: {}}\n", "version: 1\n",
    "version: 1\nvars: &v {a: b}\ntargets:\n  a: {url: x}\n",
    "version: 1\ntargets:\n  ? a\n  : {url: x}\n",
    "version: 1\n? targets\n:\n  a: {url: x}\n", "version: 1\n?\n  targets\n:\n  a: {url: x}\n",
    "version: 1\ntargets:\n  ?\n    a\n  :\n    url: x\n",
    "version: 1\ntargets:\n  a: {url: x}\n?\n  groups\n: {g: [a]}\n",
  ])
  func `a manifest with another layout has no outline`(text: String) throws {
    #expect(try #require(Reading(Array(text.utf8))).outline == nil)
  }

  @Test(arguments: [
    ("data/a   # here", "data/b   # here"), ("size: 3", "size: \"3\""),
    ("[gunzip, {verify: {size: 3}}]", "[gunzip]"), ("kept\n", "kept\n\n"), ("of them", "of  them"),
  ])
  func `an edited target is returned alone`(old: String, new: String) throws {
    let text = Self.layouts[0]
    let reading = try #require(Reading(Array(text.utf8)))
    let edited = text.replacing(old, with: new)
    #expect(edited != text)
    let revision = try #require(reading.outline.flatMap { Self.revision($0, Array(edited.utf8)) })
    #expect(revision.changes?.count == 1)
    #expect(Self.objection(revision, Array(edited.utf8), reading) == nil)
    let changes = String(decoding: revision.changes?.text ?? [], as: UTF8.self)
    #expect(changes.hasPrefix("# A manifest.\nversion: 1\n"))
    #expect(changes.contains("example.org") && changes.count < text.count / 2)
  }

  @Test(arguments: [
    ("retries: 2", "retries: 3"), ("  plain:", "  plane:"), ("  plain:", "  'folded':"),
    ("  literal:\n", "  more: {url: x}\n  literal:\n"), ("'quoted'", "plain"),
  ])
  func `an edit that may affect other targets needs the whole manifest`(old: String, new: String) throws {
    let text = Self.layouts[0]
    let outline = try #require(Reading(Array(text.utf8))?.outline)
    let edited = text.replacing(old, with: new)
    #expect(edited != text)
    #expect(Self.revision(outline, Array(edited.utf8)) == nil)
  }

  @Test(arguments: [
    ("  t-${x}:\n    matrix: {x: [a]}\n", "[a]", "[b]"), ("  <<: {a: {url: x}}\n", "{a:", "{c:"),
    ("  \"t-${vars.x}\": {url: x}\n", "url: x", "url: y"),
  ])
  func `an entry whose key is not a name needs the whole manifest`(entry: String, old: String, new: String)
    throws
  {
    let text = "version: 1\ntargets:\n  first: {url: w}\n" + entry + "  last: {url: z}\n"
    let reading = try #require(Reading(Array(text.utf8)))
    let outline = try #require(reading.outline)
    #expect(outline.parts[2].name == 0 && outline.parts[1].name != 0)
    #expect(Self.revision(outline, Array(text.replacing(old, with: new).utf8)) == nil)
    // Other targets may change in addition.
    let edited = Array(text.replacing("url: z", with: "url: y").utf8)
    let revision = try #require(Self.revision(outline, edited))
    #expect(Self.objection(revision, edited, reading) == nil && revision.changes != nil)
  }

  @Test func `edited targets far from each other are returned, up to a limit`() throws {
    let text =
      "version: 1\ntargets:\n" + (10..<60).map { "  t\($0): {url: x\($0)}\n" }.joined()
      + "groups: {g: [t10]}\n"
    let reading = try #require(Reading(Array(text.utf8)))
    for count in [2, 16, 17] {
      var edited = text
      for number in 20..<20 + count { edited = edited.replacing("url: x\(number)", with: "url: y") }
      let revision = reading.outline.flatMap { Self.revision($0, Array(edited.utf8)) }
      #expect(revision?.changes?.count == (count > 16 ? nil : count))
      guard let revision else { continue }
      #expect(Self.objection(revision, Array(edited.utf8), reading) == nil)
      let changes = String(decoding: revision.changes?.text ?? [], as: UTF8.self)
      #expect(changes.hasSuffix("groups: {g: [t10]}\n"))
    }
  }
}
