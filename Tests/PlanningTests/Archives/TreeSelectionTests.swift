import Planning
import SyncModel
import Testing

/// The entries of an archive that become a folder.
@Suite struct TreeSelectionTests {
  private func entry(_ name: String, _ kind: ArchiveEntry.Kind = .file) -> ArchiveEntry {
    ArchiveEntry(name: Array(name.utf8), kind: kind)
  }

  private func link(_ name: String, to target: String) -> ArchiveEntry {
    entry(name, .symbolicLink(target: Array(target.utf8)))
  }

  private func rules(_ include: [String] = [], exclude: [String] = []) throws -> UnpackRules {
    var tree = TreeRules()
    tree.include = try include.map { try PathPattern($0) }
    return UnpackRules(.folder(tree), exclude: try exclude.map { try PathPattern($0) })
  }

  /// The paths of wanted entries, and the empty folders.
  private func unpack(
    _ rules: UnpackRules, strip: Int = 0, _ entries: [ArchiveEntry]
  ) throws -> (wanted: [String], empty: [String]) {
    var selection = EntrySelection(rules, strip: strip, .tar)
    var wanted: [String] = []
    for entry in entries where try selection.take(entry) == .wanted {
      wanted.append(String(decoding: selection.path(of: entry.name), as: UTF8.self))
    }
    try selection.finish()
    return (wanted, selection.emptyFolders.map { String(decoding: $0, as: UTF8.self) }.sorted())
  }

  private func fault(_ rules: UnpackRules, strip: Int = 0, _ entries: [ArchiveEntry]) -> ArchiveFault? {
    do {
      _ = try unpack(rules, strip: strip, entries)
      return nil
    } catch {
      return error as? ArchiveFault
    }
  }

  @Test func `without patterns everything is unpacked, by its path after strip`() throws {
    let entries = [entry("p/", .folder), entry("p/a"), entry("./p//b/c"), link("p/l", to: "b/c")]
    #expect(try unpack(rules(), strip: 1, entries).wanted == ["a", "b/c", "l"])
    #expect(try unpack(rules(), entries).wanted == ["p", "p/a", "p/b/c", "p/l"])
  }

  @Test func `entries that have one path after strip are refused`() throws {
    let rules = try rules()
    for second in [entry("q/x"), entry("q/x/", .folder), link("q/x", to: "y")] {
      #expect(fault(rules, strip: 1, [entry("p/x"), second])?.reason == .samePathAfterStrip)
      #expect(fault(rules, strip: 1, [link("p/x", to: "y"), second])?.reason == .samePathAfterStrip)
      #expect(fault(rules, [entry("p/x"), second]) == nil)
    }
    #expect(fault(rules, strip: 1, [entry("p/x"), entry("q/x/y")])?.reason == .underFile(file: "x"))
    #expect(fault(rules, strip: 1, [link("p/x", to: "y"), entry("q/x/y")])?.reason == .underLink(link: "x"))
    #expect(fault(rules, strip: 1, [entry("q/x/y"), entry("p/x")])?.reason == .samePathAfterStrip)
    let fine = [
      entry("p/x/", .folder), entry("q/x/", .folder), entry("p/x/a"), entry("q/x/b"), entry("q/x/b"),
    ]
    #expect(try unpack(rules, strip: 1, fine).wanted.suffix(3) == ["x/a", "x/b", "x/b"])
    // What is not unpacked is in nobody's way.
    let some = try self.rules(["*.c"])
    #expect(fault(some, strip: 1, [entry("p/README"), entry("q/README"), entry("p/x.c")]) == nil)
  }

  @Test func `include chooses files, and folders with what is in them`() throws {
    let entries = [entry("html/a.html"), entry("html/x/b.html"), entry("src/c"), entry("README")]
    #expect(try unpack(rules(["html/**"]), entries).wanted == ["html/a.html", "html/x/b.html"])
    #expect(try unpack(rules(["html"]), entries).wanted == ["html/a.html", "html/x/b.html"])
    #expect(try unpack(rules(["*.html", "!x"]), entries).wanted == ["html/a.html"])
    #expect(try unpack(rules(["*.html"], exclude: ["x/"]), entries).wanted == ["html/a.html"])
  }

  @Test(arguments: [
    ("a", "A"), ("d/a", "d/A"), ("d/a", "D/b"), ("d/e/a", "d/E"), ("\u{e9}", "E\u{301}"),
    ("\u{17f}", "S"), ("\u{212a}", "k"), ("\u{df}", "\u{1e9e}"), ("\u{3c2}", "\u{3a3}"),
    ("\u{13a0}", "\u{ab70}"),
    ("\u{e9}", "e\u{301}"),
  ])
  func `two names that are one without case are refused`(one: String, other: String) throws {
    for names in [[one, other], [other, one]] {
      var selection = EntrySelection(try rules(), strip: 0, .tar, ignoringCase: true)
      #expect(try selection.take(entry(names[0])) == .wanted)
      #expect(try selection.take(entry("between/x")) == .wanted)
      let fault = #expect(throws: ArchiveFault.self) { try selection.take(entry(names[1])) }
      #expect(fault?.entry == names[1] && fault?.code == .archiveUnsafe && fault?.isSkippedByExclude == true)
      guard case .sameWithoutCase(let earlier)? = fault?.reason else {
        Issue.record("\(String(describing: fault))")
        return
      }
      #expect(names[0].utf8.starts(with: earlier.utf8))
    }
    #expect(try unpack(rules(), [entry(one), entry(other)]).wanted.count == 2)
  }

  @Test func `other names are two without case`() throws {
    var selection = EntrySelection(try rules(exclude: ["/A"]), strip: 0, .tar, ignoringCase: true)
    let names = ["a", "a", "\u{df}", "ss", "i", "\u{131}", "\u{130}", "d/a", "d/b", "e/a", "d_", "D-"]
    for name in names { #expect(try selection.take(entry(name)) == .wanted, "\(name)") }
    #expect(try selection.take(entry("A")) == .other)
    for byte in [0x80, 0xc3, 0xe3] as [UInt8] {
      #expect(try selection.take(ArchiveEntry(name: [byte], kind: .file)) == .wanted)
    }
  }

  @Test func `each pattern of include must match a file`() throws {
    let entries = [entry("html/index.html"), entry("src/c")]
    let found = try fault(rules(["html/**", "idnex.html"]), entries)
    #expect(
      found?.reason == .noMatch(pattern: "idnex.html", nearest: ["html/index.html"], key: .include))
    #expect(
      try fault(rules(["html/*.htm"]), entries)?.reason
        == .noMatch(pattern: "html/*.htm", nearest: ["html/index.html"], key: .include))
    for (pattern, name) in [("*.tar.gz", "data.tar.xz"), (".eslintrc.jso", ".eslintrc.json")] {
      #expect(
        try fault(rules([pattern]), [entry(name), entry("other.md")])?.reason
          == .noMatch(pattern: pattern, nearest: [name], key: .include))
    }
    #expect(try fault(rules(["html/**", "!nothing"]), entries) == nil)
    #expect(
      try fault(rules(["html"]), [entry("html/", .folder)])?.reason
        == .noMatch(pattern: "html", nearest: [], key: .include))
  }

  @Test func `only folders in which the archive has nothing are made by themselves`() throws {
    let entries = [
      entry("a/", .folder), entry("b/", .folder), entry("b/f"), entry("c/", .folder), entry("c/x.map"),
      entry("d/e/", .folder),
    ]
    #expect(try unpack(rules(exclude: ["*.map"]), entries).empty == ["a", "d/e"])
    #expect(try unpack(rules(["b/**", "d"]), entries + [entry("d/g")]).empty == ["d/e"])
  }

  @Test(arguments: [
    // Through a link that stays inside, and one that leads to the top.
    [("a", "."), ("s/l", "../a/..")],
    [("a", "s/t"), ("b", "a/../../..")],
    [("top", "x/.."), ("x/l", "../top/../y")],
    [("s/a", ".."), ("l", "s/a/..")],
    // In a circle. It ends when another link takes the place of one of these.
    [("s/t/a", "b/../../x"), ("s/t/b", "a")],
    // By way of a link that may lead elsewhere later.
    [("x/a", "b/../../k"), ("x/b", "../s/t")],
    // Through what the archive does not have, which may be a link in the folder.
    [("l", "nothing/..")], [("l", "s/nothing/../../x")], [("l", "s/t/f/../f")],
    // Longer chains than Linux follows.
    [("l", "l0/..")] + (0..<50).map { ("l\($0)", "l\($0 + 1)") } + [("l50", ".")],
  ])
  func `a link that leads outside through others is refused`(links: [(String, String)]) throws {
    let entries = [entry("s/t/f"), entry("x/f")] + links.map { link($0.0, to: $0.1) }
    guard case .linkLeadsOutside? = try fault(rules(), entries)?.reason else {
      Issue.record("\(links) were accepted")
      return
    }
    // It is no danger if it is not unpacked.
    #expect(try fault(rules(["f"]), entries) == nil || links[0].1.hasPrefix("s/t"))
  }

  @Test func `a folder that is not made may be a link`() throws {
    func entries(_ inside: ArchiveEntry) -> [ArchiveEntry] {
      [entry("k"), entry("a/b/", .folder), inside, link("c", to: "a/b/../../k")]
    }
    #expect(try fault(rules(exclude: ["*.map"]), entries(entry("a/b/x"))) == nil)
    #expect(
      try fault(
        rules(exclude: ["*.map"]), [entry("k"), entry("a/b/", .folder)] + [link("c", to: "a/b/../../k")])
        == nil)
    for inside in [[entry("a/b/x.map")], [entry("a/b/c/", .folder), entry("a/b/c/x.map")]] {
      let all = entries(inside[0]) + inside.dropFirst()
      guard case .linkLeadsOutside? = try fault(rules(exclude: ["*.map"]), all)?.reason else {
        Issue.record("\(inside) lets the link be accepted")
        continue
      }
    }
  }

  @Test func `links that stay inside are fine, also if they lead nowhere`() throws {
    let entries = [
      entry("s/f"), link("a", to: "s"), link("b", to: "a/f"), link("s/c", to: "../b"),
      link("d", to: "nothing/x"),
      link("e", to: "e"), link("g", to: "s/../a/f"), link("h", to: "i/x"), link("i", to: "h/h"),
    ]
    #expect(try unpack(rules(), entries).wanted.count == 9)
  }

  @Test func `a hard link may lead to a file that is wanted`() throws {
    var selection = EntrySelection(try rules(["b", "a"]), strip: 0, .tar)
    _ = try selection.take(entry("a"))
    _ = try selection.take(entry("c"))
    #expect(selection.hasFile(at: Array("a".utf8)))
    #expect(!selection.hasFile(at: Array("c".utf8)))
  }

  @Test func `unsafe entries are refused although no pattern includes them`() throws {
    #expect(try fault(rules(["a"]), [entry("a"), entry("../b")])?.reason == .leavesFolder)
    #expect(try fault(rules(["a"], exclude: ["../b"]), [entry("a"), entry("../b")]) == nil)
  }
}
