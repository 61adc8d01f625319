import Foundation
import Platform
import SyncModel
import Testing

@testable import LocalFiles

@Suite struct PartialDownloadTests {
  let box: Sandbox
  init() throws { box = try Sandbox() }

  private let facts = PartialFacts(
    url: "https://example.org/a b%20\u{e9}\n?x=***", etag: EntityTag("\"a b\\%\u{fffd}\""), total: 1000)

  private func create(_ text: String = "0123456789") throws -> PartialDownload {
    let partial = try PartialDownload.create(key: "ab12", facts: facts, in: box.state)
    try partial.append(text)
    return partial
  }

  private func checkpoint(_ offset: Int64) -> PartialDownload.Checkpoint {
    .init(offset: offset, sha256: HexDigest(bytes: [UInt8](repeating: UInt8(offset % 256), count: 32)))
  }

  private var journalPath: String { box.statePath + "/partial/ab12.journal" }
  private var bodyPath: String { box.statePath + "/partial/ab12.part" }

  @Test func `the next run finds bytes, facts and checkpoints`() throws {
    let partial = try create()
    for offset in [4, 8] as [Int64] { try partial.note(checkpoint(offset)) }
    partial.close()
    let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(found.facts == facts)
    #expect(found.size == 10)
    #expect(found.checkpoints == [checkpoint(4), checkpoint(8)])
    #expect(try found.text() == "0123456789")
    try found.append("abc")
    try found.note(checkpoint(12))
    found.close()
    let again = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(again.checkpoints == [checkpoint(4), checkpoint(8), checkpoint(12)])
    #expect(try again.text() == "0123456789abc")
  }

  @Test func `an unknown total stays unknown`() throws {
    let unknown = PartialFacts(url: "", etag: EntityTag("\"\""), total: nil)
    try PartialDownload.create(key: "cd", facts: unknown, in: box.state).close()
    #expect(PartialDownload.open(key: "cd", in: box.state)?.facts == unknown)
  }

  @Test(arguments: ["Sat, 01 Jan 2022 00:00:00 GMT", "", "100% é\n"])
  func `a date is restored byte for byte`(date: String) throws {
    let dated = PartialFacts(url: "u", etag: EntityTag("\"1\""), total: 7, lastModified: date)
    try PartialDownload.create(key: "cd", facts: dated, in: box.state).close()
    #expect(PartialDownload.open(key: "cd", in: box.state)?.facts == dated)
  }

  @Test func `digests from the server and the checkpoints after them are restored`() throws {
    let md5 = HexDigest(bytes: [UInt8](repeating: 7, count: 16))
    var told = facts
    told.digests = [
      ServerDigest(.contentMD5, .md5, md5), ServerDigest(.representation, .sha256, checkpoint(3).sha256),
    ]
    let partial = try PartialDownload.create(key: "ab12", facts: told, in: box.state)
    try partial.append("0123456789")
    try partial.note(checkpoint(4))
    partial.close()
    let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(found.facts == told)
    #expect(found.checkpoints == [checkpoint(4)])
  }

  @Test(arguments: [
    "digest Content-MD5 md5 0\n", "digest X-Other md5 X\n", "digest Content-MD5 crc X\n", "digest \n",
  ])
  func `an invalid digest line ends the list`(line: String) throws {
    try create().close()
    var text = try #require(box.text(atPath: journalPath))
    text += line.replacingOccurrences(of: "X", with: String(repeating: "0", count: 32))
    text += PartialJournal.line(checkpoint(8))
    try box.put(text, atPath: journalPath)
    let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(found.facts == facts)
    #expect(found.checkpoints.isEmpty)
  }

  @Test func `without files there is no partial download`() {
    #expect(PartialDownload.open(key: "ab12", in: box.state) == nil)
  }

  @Test(arguments: ["ab12.journal", "ab12.part"])
  func `an obstacle is named`(name: String) throws {
    let path = box.statePath + "/partial/" + name
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let cause = #expect(throws: FailureCause.self) {
      try PartialDownload.create(key: "ab12", facts: facts, in: box.state)
    }
    guard case .outputUnwritable(let named, _) = cause else {
      Issue.record("\(String(describing: cause))")
      return
    }
    #expect(named.hasSuffix("partial/" + name))
  }

  @Test func `a new partial download replaces the old one`() throws {
    let old = try create()
    try old.note(checkpoint(4))
    old.close()
    let new = try create("x")
    #expect(new.size == 1)
    #expect(new.checkpoints == [])
    new.close()
    #expect(try PartialDownload.open(key: "ab12", in: box.state)?.text() == "x")
  }

  @Test func `a checkpoint beyond the bytes, or not after the last one, is ignored`() throws {
    let partial = try create()
    for offset in [11, 8, 8, 4, 10] as [Int64] { try partial.note(checkpoint(offset)) }
    #expect(partial.checkpoints == [checkpoint(8), checkpoint(10)])
  }

  /// Every length that a torn journal can have, cut in a line or between two.
  @Test func `checkpoints survive a torn last line, and later ones follow them`() throws {
    let partial = try create()
    for offset in [4, 8] as [Int64] { try partial.note(checkpoint(offset)) }
    partial.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: journalPath))
    let header = try #require(whole.firstIndex(of: 10)) + 1
    let line = (whole.count - header) / 2
    for length in header...whole.count {
      try whole.prefix(length).write(to: URL(fileURLWithPath: journalPath))
      let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
      let expected = [checkpoint(4), checkpoint(8)].prefix((length - header) / line)
      #expect(found.checkpoints == Array(expected))
      try found.note(checkpoint(9))
      found.close()
      let again = try #require(PartialDownload.open(key: "ab12", in: box.state))
      #expect(again.checkpoints == expected + [checkpoint(9)])
      again.close()
    }
  }

  @Test(arguments: [
    "junk\n", "8 \n", "\n", "-1 aa\n", "+9 X\n", "9 abc\n", "99999999999999999999 X\n", "9 X extra\n",
    "\0\0\0\0\n", "7 X\n",
    "011 X\n",
  ])
  func `an invalid line ends the list`(junk: String) throws {
    let partial = try create()
    try partial.note(checkpoint(8))
    partial.close()
    var text = try #require(box.text(atPath: journalPath))
    text += junk.replacingOccurrences(of: "X", with: checkpoint(9).sha256.text)
    text += PartialJournal.line(checkpoint(9))
    try box.put(text, atPath: journalPath)
    let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(found.checkpoints == [checkpoint(8)])
  }

  @Test(arguments: [
    "", "junk", "syncmake-partial 2 u \"e\" -\n", "syncmake-partial 1 u \"e\" -",
    "syncmake-partial 1 u W/\"e\" -\n",
    "syncmake-partial 1 u \"e\"\n", "syncmake-partial 1 u \"e\" -5\n", "syncmake-partial 1 u%4 \"e\" 5\n",
    "syncmake-partial 1 u%zz \"e\" 5\n", "syncmake-partial 1 %ff \"e\" 5\n",
  ])
  func `an invalid header removes both files`(header: String) throws {
    try create().close()
    try box.put(header, atPath: journalPath)
    #expect(PartialDownload.open(key: "ab12", in: box.state) == nil)
    #expect(box.partialNames == [])
  }

  @Test func `one file without the other is removed`() throws {
    for path in [journalPath, bodyPath] {
      try create().close()
      try FileManager.default.removeItem(atPath: path)
      #expect(PartialDownload.open(key: "ab12", in: box.state) == nil)
      #expect(box.partialNames == [])
    }
  }

  @Test func `links in place of the files are not followed`() throws {
    try create().close()
    try FileManager.default.moveItem(atPath: bodyPath, toPath: box.at("elsewhere"))
    try FileManager.default.createSymbolicLink(atPath: bodyPath, withDestinationPath: box.at("elsewhere"))
    #expect(PartialDownload.open(key: "ab12", in: box.state) == nil)
    #expect(box.partialNames == [])
    #expect(box.text("elsewhere") == "0123456789")
  }

  @Test func `checkpoints beyond lost bytes are dropped`() throws {
    let partial = try create()
    for offset in [4, 8] as [Int64] { try partial.note(checkpoint(offset)) }
    partial.close()
    #expect(truncate(bodyPath, 5) == 0)
    let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(found.size == 5)
    #expect(found.checkpoints == [checkpoint(4)])
  }

  @Test func `truncating drops bytes and checkpoints, here and in the next run`() throws {
    let partial = try create()
    for offset in [4, 8] as [Int64] { try partial.note(checkpoint(offset)) }
    try partial.truncate(to: 20)
    #expect(partial.size == 10)
    try partial.truncate(to: 5)
    try partial.append("xyz")
    try partial.note(checkpoint(6))
    partial.close()
    let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(try found.text() == "01234xyz")
    #expect(found.checkpoints == [checkpoint(4), checkpoint(6)])
  }

  @Test func `a complete body becomes the output without being copied`() throws {
    let partial = try create()
    var status = stat()
    #expect(lstat(bodyPath, &status) == 0)
    let file = try partial.intoStaged(for: .path("d/a"), root: box.root, in: box.state)
    #expect(file.size == 10)
    try file.write("more")
    try file.sync()
    let signature = try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    partial.discard()
    #expect(signature.inode == UInt64(status.st_ino))
    #expect(box.text("d/a") == "0123456789more")
    #expect(box.partialNames == [])
    #expect(box.stagingNames == [])
  }

  @Test func `a complete body whose output place is taken stays resumable`() throws {
    let partial = try create()
    let file = try partial.intoStaged(for: .path("d/a"), root: box.root, in: box.state)
    try file.prepare(over: .missing, mode: 0o444, modified: Timestamp(seconds: 5))
    try box.put("theirs", at: "d/a")
    #expect(throws: FailureCause.self) {
      try file.publish(over: .missing, mode: 0o444, modified: Timestamp(seconds: 5), expectedDigest: nil)
    }
    file.discard()
    try partial.note(checkpoint(10))
    #expect(partial.keep() == 10)
    #expect(try FileManager.default.attributesOfItem(atPath: bodyPath)[.posixPermissions] as? Int == 0o600)
    let found = try #require(PartialDownload.open(key: "ab12", in: box.state))
    #expect(try found.text() == "0123456789")
    #expect(found.checkpoints == [checkpoint(10)])
    #expect(box.text("d/a") == "theirs")
  }

  @Test func `a file with a second hard link is not written to`() throws {
    let partial = try create()
    try partial.note(checkpoint(4))
    #expect(partial.keep() == 4)
    #expect(link(bodyPath, box.path + "/output") == 0)
    #expect(PartialDownload.open(key: "ab12", in: box.state) == nil)
    #expect(box.partialNames == [])
    #expect(box.text(atPath: box.path + "/output") == "0123456789")
  }

  @Test func `a partial download without a checkpoint is not kept`() throws {
    #expect(try create().keep() == 0)
    #expect(box.partialNames == [])
  }

  @Test func `an output downloaded by an earlier run gets the time of its publication, not of its download`()
    throws
  {
    let partial = try create()
    let longAgo = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 5)]
    try FileManager.default.setAttributes(longAgo, ofItemAtPath: bodyPath)
    try box.put("made meanwhile", at: "report")
    let file = try partial.intoStaged(for: .path("d/a"), root: box.root, in: box.state)
    try file.prepare(over: .missing, mode: nil, modified: nil)
    let signature = try file.publish(over: .missing, mode: nil, modified: nil, expectedDigest: nil)
    guard case .file(let report) = box.root.observe(.path("report")) else {
      Issue.record("not a file")
      return
    }
    #expect(signature.modified >= report.modified)
    #expect(box.root.observe(.path("d/a")) == .file(signature))
  }

  @Test func `an output that cannot be written keeps the partial download`() throws {
    try box.link("d", to: "elsewhere")
    let partial = try create()
    #expect(throws: FailureCause.outputUnwritable(path: "d/a", .parentIsLink("d"))) {
      try partial.intoStaged(for: .path("d/a"), root: box.root, in: box.state)
    }
    partial.close()
    #expect(PartialDownload.open(key: "ab12", in: box.state)?.size == 10)
  }

  @Test func `discarding removes both files`() throws {
    try create().discard()
    #expect(box.partialNames == [])
  }

  /// Sets when a file in the folder of partial downloads was last changed.
  private func date(_ name: String, _ seconds: Int) {
    let times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
    #expect(utimes(box.statePath + "/partial/" + name, times) == 0)
  }

  #if os(Linux)
    @Test func `a partial download that a killed run made read-only is resumed`() throws {
      try create().close()
      for name in ["", "/partial", "/partial/ab12.part", "/partial/ab12.journal"] {
        #expect(chown(box.statePath + name, geteuid() == 0 ? 65534 : geteuid(), gid_t.max) == 0)
      }
      #expect(chmod(bodyPath, 0o444) == 0)
      let size = try asOrdinaryUser { PartialDownload.open(key: "ab12", in: box.state)?.size }
      #expect(size == 10)
    }
  #endif

  @Test func `housekeeping removes old files of no target, and nothing else`() throws {
    for key in ["ab12", "cd34", "ef56", "aa78", "bb90"] {
      try PartialDownload.create(key: key, facts: facts, in: box.state).close()
      for suffix in [".part", ".journal"] { date(key + suffix, 999) }
    }
    try box.put("mine", atPath: box.statePath + "/partial/notes.txt")
    date("notes.txt", 1)
    date("ef56.part", 1000)
    date("aa78.journal", 1000)
    try FileManager.default.removeItem(atPath: box.statePath + "/partial/bb90.part")
    #expect(PartialDownload.mayHaveUnused(since: Timestamp(seconds: 1000), in: box.state))
    PartialDownload.removeUnused(since: Timestamp(seconds: 1000), except: ["cd34"], in: box.state)
    #expect(
      box.partialNames == [
        "aa78.journal", "aa78.part", "cd34.journal", "cd34.part", "ef56.journal", "ef56.part", "notes.txt",
      ])
    PartialDownload.remove("ef56", ifUnusedSince: Timestamp(seconds: 1000), in: box.state)
    PartialDownload.remove("cd34", ifUnusedSince: Timestamp(seconds: 1000), in: box.state)
    #expect(box.partialNames == ["aa78.journal", "aa78.part", "ef56.journal", "ef56.part", "notes.txt"])
    #expect(!PartialDownload.mayHaveUnused(since: Timestamp(seconds: 1000), in: box.state))
  }

  @Test func `housekeeping keeps recent files of another manifest's run`() throws {
    try create().close()
    PartialDownload.removeUnused(
      since: Timestamp(seconds: SystemClock.now().seconds - 60), except: [], in: box.state)
    #expect(PartialDownload.open(key: "ab12", in: box.state)?.size == 10)
  }

  @Test func `housekeeping removes one file without the other, which cannot be resumed`() throws {
    for key in ["ab12", "cd34"] {
      try PartialDownload.create(key: key, facts: facts, in: box.state).close()
    }
    try FileManager.default.removeItem(atPath: box.statePath + "/partial/ab12.part")
    #expect(PartialDownload.keys(in: box.state) == ["ab12", "cd34"])
    PartialDownload.removeUnused(since: Timestamp(seconds: 0), except: ["ab12", "cd34"], in: box.state)
    #expect(box.partialNames == ["cd34.journal", "cd34.part"])
  }

  @Test(arguments: ["", "../a", "AB", "a", "xyz1", "a/b0"]) func `a key is hexadecimal`(key: String) {
    #expect(PartialDownload.open(key: key, in: box.state) == nil)
    #expect(throws: FailureCause.self) { try PartialDownload.create(key: key, facts: facts, in: box.state) }
  }
}
