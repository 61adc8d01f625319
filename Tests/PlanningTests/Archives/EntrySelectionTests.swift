import Planning
import SyncModel
import Testing

@Suite struct EntrySelectionTests {
  private func entry(_ name: String, _ kind: ArchiveEntry.Kind = .file) -> ArchiveEntry {
    ArchiveEntry(name: Array(name.utf8), kind: kind)
  }

  private func link(_ name: String, to target: String) -> ArchiveEntry {
    entry(name, .symbolicLink(target: Array(target.utf8)))
  }

  private func hardLink(_ name: String, to target: String) -> ArchiveEntry {
    entry(name, .hardLink(target: Array(target.utf8)))
  }

  private func rules(_ pattern: String, exclude: [String] = [], most: Int = 1_000_000) throws -> UnpackRules {
    UnpackRules(
      entry: try PathPattern(pattern), exclude: try exclude.map { try PathPattern($0) }, mostEntries: most)
  }

  /// The verdicts for `entries`.
  private func judge(
    _ rules: UnpackRules, strip: Int = 0, naming: EntrySelection.Naming = .tar, _ entries: [ArchiveEntry]
  ) throws -> [EntrySelection.Verdict] {
    var selection = EntrySelection(rules, strip: strip, naming)
    var verdicts: [EntrySelection.Verdict] = []
    for entry in entries { verdicts.append(try selection.take(entry)) }
    try selection.finish()
    return verdicts
  }

  private func reason(
    _ rules: UnpackRules, strip: Int = 0, naming: EntrySelection.Naming = .tar, _ entries: [ArchiveEntry]
  ) throws -> ArchiveFault? {
    do {
      _ = try judge(rules, strip: strip, naming: naming, entries)
      return nil
    } catch let fault as ArchiveFault {
      return fault
    }
  }

  // MARK: The one entry

  @Test func `exactly one file matches`() throws {
    let entries = [
      entry("rg-14/", .folder), entry("rg-14/README"), entry("rg-14/rg"), entry("rg-14/doc/rg.1"),
    ]
    #expect(try judge(rules("*/rg"), entries) == [.other, .other, .wanted, .other])
  }

  @Test func `strip comes before the pattern`() throws {
    let entries = [entry("rg-14/", .folder), entry("rg-14/rg"), entry("rg-14/doc/rg")]
    #expect(try judge(rules("/rg"), strip: 1, entries) == [.other, .wanted, .other])
  }

  @Test func `a later file of the same name replaces the entry of a tar`() throws {
    let entries = [entry("a"), entry("b"), entry("./a")]
    #expect(try judge(rules("a"), entries) == [.wanted, .other, .replacesWanted])
  }

  @Test func `in a zip the second file of a name must have the same bytes`() throws {
    #expect(try judge(rules("a"), naming: .directory, [entry("a"), entry("a")]) == [.wanted, .duplicate])
    #expect(
      try judge(rules("a"), naming: .directory, [entry("a"), entry("b"), entry("b")]) == [
        .wanted, .other, .duplicate,
      ])
  }

  @Test func `no match names the nearest entries`() throws {
    let entries = [
      entry("x/LICENSE"), entry("x/bin/rg"), entry("x/rgg"), entry("x/other"), entry("x/lib/rg"),
    ]
    #expect(
      try reason(rules("*/rg"), entries)
        == ArchiveFault(.noMatch(pattern: "*/rg", nearest: ["x/bin/rg", "x/lib/rg", "x/rgg"])))
    #expect(
      try reason(rules("*/nothing-like-it"), entries)?.reason
        == .noMatch(pattern: "*/nothing-like-it", nearest: []))
    #expect(try reason(rules("a"), [])?.code == .entryMissing)
  }

  @Test func `several matches are counted, and the first are named`() throws {
    let entries = ["a/x", "b/x", "c/x", "d/x"].map { entry($0) }
    let fault = try reason(rules("x"), entries)
    #expect(fault?.reason == .severalMatches(pattern: "x", names: ["a/x", "b/x", "c/x"], count: 4))
    #expect(fault?.code == .entryMissing)
  }

  @Test func `a link or a folder is no match, and the message says what it is`() throws {
    #expect(
      try reason(rules("rg"), [entry("rg-14"), link("rg", to: "rg-14")])
        == ArchiveFault(.matchIsLink(pattern: "rg", target: "rg-14", isSymbolic: true), entry: "rg"))
    #expect(
      try reason(rules("b"), [entry("a"), hardLink("b", to: "a")])
        == ArchiveFault(.matchIsLink(pattern: "b", target: "a"), entry: "b"))
    #expect(
      try reason(rules("bin"), [entry("bin/", .folder), entry("bin/x")])
        == ArchiveFault(.matchIsFolder(pattern: "bin"), entry: "bin/"))
    #expect(try reason(rules("rg"), [link("a/rg", to: "../b/rg"), entry("b/rg")]) == nil)
  }

  // MARK: What is refused

  @Test func `entries that are not wanted are checked too`() throws {
    let bad: [(ArchiveEntry, ArchiveFault.Reason)] = [
      (entry("../x"), .leavesFolder), (entry("/x"), .absoluteName), (entry("x\u{7}"), .controlCharacter(7)),
      (entry("dev", .device), .device), (entry("pipe", .fifo), .fifo), (entry("s", .socket), .socket),
      (link("l", to: "/etc"), .linkLeadsOutside(target: "/etc")),
      (link("l", to: "../x"), .linkLeadsOutside(target: "../x")),
      (link("d/l", to: "../../x"), .linkLeadsOutside(target: "../../x")),
      (link("l", to: ""), .linkLeadsOutside(target: "")), (link("l", to: "a\nb"), .controlCharacter(10)),
      (hardLink("h", to: "nothing"), .hardLinkToNoFile(target: "nothing")),
      (hardLink("h", to: "/a"), .hardLinkToNoFile(target: "/a")),
    ]
    for (entry, reason) in bad {
      let fault = try self.reason(rules("a"), [self.entry("a"), entry])
      #expect(fault == ArchiveFault(reason, entry: entry.shownName))
      #expect(fault?.code == .archiveUnsafe && fault?.isSkippedByExclude == true)
    }
  }

  @Test func `a hard link to an excluded file does no harm unless it is wanted`() throws {
    let entries = [entry("h"), hardLink("a", to: "h"), entry("z")]
    #expect(try reason(rules("z", exclude: ["h"]), entries) == nil)
    #expect(
      try reason(rules("a", exclude: ["h"]), entries)
        == ArchiveFault(.matchIsLink(pattern: "a", target: "h"), entry: "a"))
    for target in ["/z", "../z", "y/z"] {
      #expect(
        try reason(rules("b", exclude: ["z"]), [entry("z"), entry("b"), hardLink("a", to: target)])
          == ArchiveFault(.hardLinkToNoFile(target: target), entry: "a"))
    }
  }

  @Test func `links inside the folder are safe`() throws {
    let entries = [
      entry("a"), link("l", to: "a"), link("d/l", to: "../a"), link("d/e/l", to: "./../../a"),
      hardLink("h", to: "./a"),
    ]
    #expect(try reason(rules("/a"), entries) == nil)
  }

  @Test func `nothing is under a link or a file`() throws {
    let file = try reason(rules("a"), [entry("a"), entry("a/b")])
    #expect(file == ArchiveFault(.underFile(file: "a"), entry: "a/b"))
    let link = try reason(rules("a"), [entry("a"), link("l", to: "d"), entry("l/b")])
    #expect(link == ArchiveFault(.underLink(link: "l"), entry: "l/b"))
    let later = try reason(rules("a"), [entry("a"), entry("d/x"), self.link("d", to: "e")])
    #expect(later == ArchiveFault(.otherKindBefore, entry: "d"))
  }

  @Test func `a name keeps its kind`() throws {
    #expect(try reason(rules("a"), [entry("a"), entry("a/", .folder)])?.reason == .otherKindBefore)
    #expect(try reason(rules("a"), [entry("a"), link("a", to: "b")])?.reason == .otherKindBefore)
    #expect(
      try reason(rules("a"), naming: .directory, [entry("a"), link("l", to: "a"), link("l", to: "b")])?.reason
        == .duplicateFile)
    #expect(try reason(rules("a"), [entry("d/", .folder), entry("d/", .folder), entry("d/a")]) == nil)
  }

  @Test func `a file with too short a path cannot be stripped`() throws {
    let fault = try reason(rules("a"), strip: 1, [entry("x/a"), entry("README")])
    #expect(fault == ArchiveFault(.shorterThanStrip(1), entry: "README"))
    #expect(try reason(rules("a"), strip: 1, [entry("x/", .folder), entry("x/a")]) == nil)
  }

  @Test func `exclude skips what is not safe`() throws {
    let entries = [entry("a"), entry("dev/null", .device), entry("../x"), link("l", to: "/etc")]
    #expect(try reason(rules("a", exclude: ["dev", "/../x", "l"]), entries) == nil)
    #expect(try reason(rules("a", exclude: ["dev", "l"]), entries)?.reason == .leavesFolder)
  }

  @Test func `more entries than allowed are too many`() throws {
    let entries = ["a", "b", "c"].map { entry($0) }
    #expect(try reason(rules("a", most: 3), entries) == nil)
    let fault = try reason(rules("a", most: 2), entries)
    #expect(fault == ArchiveFault(.tooManyEntries(limit: 2)))
    #expect(fault?.code == .tooLarge)
  }
}
