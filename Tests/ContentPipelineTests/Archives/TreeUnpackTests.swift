import Foundation
import LocalFiles
import Platform
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// Archives that become folders.
@Suite struct TreeUnpackTests {
  private static let big = TestData.random(1_500_000, seed: 4)
  private static let files: [String: [UInt8]] = [
    "one": Array("one\n".utf8), "two": Array("two\n".utf8), "big": big,
  ]

  /// What was put into a folder in memory.
  private final class Sink: TreeSink, @unchecked Sendable {
    private(set) var files: [String: [UInt8]] = [:]
    private(set) var entries: [[UInt8]: TreeListing.Entry] = [:]
    private var current: (path: [UInt8], bytes: [UInt8], mode: UInt16)?
    private(set) var restarts = 0
    /// The file that cannot be created.
    var refused: String?
    private(set) var written = 0
    var ignoresCase = false
    /// What was said to be needed.
    private(set) var announced: (most: Int64, files: [String: Int64])?

    func requireRoom(
      atMost most: Int64, for files: () throws(FailureCause) -> [(path: [UInt8], size: Int64)]
    ) throws(FailureCause) {
      let named = try files().map { (String(decoding: $0.path, as: UTF8.self), $0.size) }
      announced = (most, Dictionary(named) { $1 })
    }

    func restart() throws(FailureCause) {
      restarts += 1
      (files, entries, current) = ([:], [:], nil)
    }

    func beginFile(_ path: [UInt8], size: Int64, mode: UInt16, modified: Timestamp?) throws(FailureCause) {
      if let refused, refused == String(decoding: path, as: UTF8.self) { throw .diskFull(path: refused) }
      current = (path, [], mode)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FailureCause) {
      written += bytes.count
      unsafe current?.bytes.append(contentsOf: bytes)
    }

    func endFile(sha256: HexDigest) throws(FailureCause) {
      guard let (path, bytes, mode) = current else { throw .internalError("no file") }
      files[String(decoding: path, as: UTF8.self)] = bytes
      entries[path] = TreeListing.Entry(
        path: path, kind: .file(sha256: CompactDigest(sha256), isExecutable: mode & 0o111 != 0),
        size: Int64(bytes.count))
    }

    func addLink(_ path: [UInt8], target: [UInt8]) throws(FailureCause) {
      entries[path] = TreeListing.Entry(path: path, kind: .link(target: target))
    }

    func size(ofFile path: [UInt8]) -> Int64? { entries[path]?.size }

    func addHardLink(_ path: [UInt8], to other: [UInt8], _ isCancelled: () -> Bool) throws(FailureCause) {
      guard var entry = entries[other] else { throw .internalError("no such file") }
      entry.path = path
      entries[path] = entry
    }

    func addFolder(_ path: [UInt8]) throws(FailureCause) {
      entries[path] = TreeListing.Entry(path: path, kind: .folder)
    }

    func finish() throws(FailureCause) -> TreeEntries {
      TreeEntries(entries.values).sorted()
    }
  }

  private func rules(
    strip: UnpackRules.Strip = .count(0), include: [String] = [], exclude: [String] = []
  ) throws -> UnpackRules {
    var tree = TreeRules()
    tree.include = try include.map { try PathPattern($0) }
    return UnpackRules(.folder(tree), strip: strip, exclude: try exclude.map { try PathPattern($0) })
  }

  private func unpack(
    _ archive: [UInt8], _ name: String, _ rules: UnpackRules, piece: Int = 100_000, partial: Bool = false,
    then more: [PipelineSpec.Stage] = [], maxSize: Int64? = nil, ignoringCase: Bool = false,
    into sink: Sink = Sink()
  ) throws -> (Result<PipelineResult, FailureCause>, Sink) {
    let workshop = try Workshop()
    sink.ignoresCase = ignoringCase
    var spec = PipelineSpec(steps: [.unpack(rules, name: name)] + more, maxSize: maxSize)
    spec.scratch = workshop.state
    spec.tree = sink
    let course = Course(spec, output: nil, partial: partial ? try workshop.newPartial() : nil)
    try course.push(archive, pieces: piece)
    return (try course.finish(), sink)
  }

  private static let entries = [
    "rg-1/", "rg-1/README=one", "rg-1/bin/rg=big", "rg-1/doc/rg.1=two", "rg-1/l->bin/rg",
  ]

  @Test(arguments: TestArchives.forms) func `a folder of every format`(form: String) throws {
    guard TestArchives.canMake(form) else { return }
    let archive = try TestArchives.make(form, Self.entries, files: Self.files)
    var digests: Set<HexDigest?> = []
    for (piece, partial) in [(archive.count, false), (70_001, true), (511, false)] {
      let (result, sink) = try unpack(
        archive, TestArchives.name(form), rules(strip: .count(1)), piece: piece, partial: partial)
      digests.insert(try result.get().output.sha256)
      #expect(
        sink.files == ["README": Array("one\n".utf8), "bin/rg": Self.big, "doc/rg.1": Array("two\n".utf8)])
      #expect(sink.entries[Array("l".utf8)]?.kind == .link(target: Array("bin/rg".utf8)))
    }
    let (auto, _) = try unpack(archive, "download", rules(strip: .auto), partial: true)
    digests.insert(try auto.get().output.sha256)
    #expect(digests.count == 1)
    let (some, sink) = try unpack(
      archive, TestArchives.name(form), rules(include: ["doc/", "README"], exclude: ["doc"]))
    #expect(some.cause?.code == .entryMissing)
    let (few, kept) = try unpack(archive, TestArchives.name(form), rules(include: ["doc/"]))
    _ = try few.get()
    #expect(kept.files.keys.sorted() == ["rg-1/doc/rg.1"])
    #expect(sink.files.keys.allSatisfy { $0.hasSuffix("README") })
  }

  @Test(arguments: TestArchives.forms)
  func `names that differ in case only are refused where that does not count`(form: String) throws {
    guard TestArchives.canMake(form) else { return }
    let archive = try TestArchives.make(form, ["d/One=one", "d/oNE=two", "three=two"], files: Self.files)
    let (result, _) = try unpack(archive, TestArchives.name(form), rules(), ignoringCase: true)
    guard case .archive(let fault)? = result.cause, case .sameWithoutCase(let other) = fault.reason else {
      Issue.record("\(form): \(String(describing: result.cause))")
      return
    }
    #expect(Set([fault.entry, other]) == ["d/One", "d/oNE"])
    #expect(fault.code == .archiveUnsafe)
    let (skipped, _) = try unpack(
      archive, TestArchives.name(form), rules(exclude: ["oNE"]), ignoringCase: true)
    _ = try skipped.get()
    let (both, _) = try unpack(archive, TestArchives.name(form), rules())
    _ = try both.get()
  }

  @Test(arguments: ["zip", "zip-stored", "7z"].filter(TestArchives.canMake))
  func `the sizes of the chosen files are announced before the first one`(form: String) throws {
    let archive = try TestArchives.make(form, Self.entries, files: Self.files)
    let (result, sink) = try unpack(
      archive, TestArchives.name(form), rules(strip: .auto, include: ["bin", "doc"]))
    _ = try result.get()
    let announced = try #require(sink.announced)
    #expect(announced.files == ["bin/rg": 1_500_000, "doc/rg.1": 4])
    // A link's target is a member's content in a zip, and an entry's in a 7z.
    #expect((1_500_008...1_500_014).contains(announced.most))
  }

  @Test func `the digest is that of the listing, as the contract has it`() throws {
    let archive = try TestArchives.make(
      "tar", ["d/", "e/", "e/b=two", "a=one", "e/l->b"], files: Self.files)
    let (result, _) = try unpack(archive, "a.tar", rules())
    let one = Digester.digest(Array("one\n".utf8), .sha256)
    let two = Digester.digest(Array("two\n".utf8), .sha256)
    let text = "x \(one) 4 a\nd d\nx \(two) 4 e/b\nl b e/l\n"
    let tree = Digester.digest(Array(text.utf8), .sha256)
    #expect(try result.get().output.sha256 == tree)
    let (verified, _) = try unpack(
      archive, "a.tar", rules(), then: [.verifyDigest(.sha256, tree, step: 1)])
    _ = try verified.get()
    let (other, _) = try unpack(archive, "a.tar", rules(), then: [.verifyDigest(.sha256, one, step: 1)])
    #expect(other.cause?.code == .digestMismatch)
  }

  @Test(arguments: TestArchives.forms) func `an archive that is cut anywhere gives no folder`(form: String)
    throws
  {
    guard TestArchives.canMake(form) else { return }
    let archive = try TestArchives.make(form, ["d/a=one", "d/b=two"], files: Self.files)
    let end = form == "tar" ? 3 * 1_024 : form == "xar" ? archive.count - 20 : archive.count
    for size in Array(stride(from: 0, to: end, by: max(1, end / 40))) + [end - 1] {
      let cause = try unpack(Array(archive[..<size]), TestArchives.name(form), rules()).0.cause
      #expect(
        cause?.code == .archiveCorrupt, "\(size) of \(archive.count): \(cause.map { "\($0)" } ?? "none")")
    }
  }

  @Test(arguments: ["tar.gz", "zip"]) func `max_size is the limit of all files together`(form: String) throws
  {
    let zeros = [UInt8](repeating: 0, count: 1_000_000)
    let archive = try TestArchives.make(form, ["a=zeros", "b=zeros"], files: ["zeros": zeros])
    let size = Int64(zeros.count)
    #expect(try unpack(archive, TestArchives.name(form), rules(), maxSize: 2 * size).0.cause == nil)
    let (result, sink) = try unpack(archive, TestArchives.name(form), rules(), maxSize: 2 * size - 1)
    #expect(result.cause?.code == .tooLarge)
    #expect(sink.files.count <= 1)
  }

  @Test func `a file that cannot be written is named before what comes later`() throws {
    let entries = ["a=big", "b=one", "c=big"] + (0..<1_500).map { "d/\($0)=one" } + ["../e=one"]
    let archive = try TestArchives.make("tar.gz", entries, files: Self.files)
    for refused in ["a", "b", "c", "d/1400"] {
      let sink = Sink()
      sink.refused = refused
      let cause = try unpack(archive, "a.tar.gz", rules(), into: sink).0.cause
      #expect(cause?.code == .diskFull, "\(refused): \(cause.map { "\($0)" } ?? "none")")
      #expect(sink.files[refused] == nil)
    }
    let cause = try unpack(archive, "a.tar.gz", rules()).0.cause
    #expect(cause?.code == .archiveUnsafe)
  }

  @Test(arguments: ["xz", "lzma", "gzip", "bzip2", "none"])
  func `a xar is read whatever it is packed with`(method: String) throws {
    guard TestArchives.canMake("xar") else { return }
    let folder = try TemporaryFolder()
    for (name, bytes) in Self.files { try folder.write(bytes, to: "d/\(name)") }
    let made = try runProcess(
      "/usr/bin/env", ["bsdtar", "-cf", "a.xar", "--format=xar", "--options=xar:compression=\(method)", "d"],
      currentDirectory: folder.path)
    try #require(made.status == 0, "\(made.stderr)")
    let (result, sink) = try unpack(try #require(folder.read("a.xar")), "a.xar", rules(strip: .auto))
    _ = try result.get()
    #expect(sink.files == Self.files)
  }

  @Test func `a file of a xar is written no further than the table says`() throws {
    let folder = try TemporaryFolder()
    let script = TestTools.path("hostile-archives.py")
    let made = try runProcess("/usr/bin/env", ["python3", script, folder.path], timeoutSeconds: 60)
    try #require(made.status == 0, "\(made.stderr)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let name = try #require(names.first { $0.hasSuffix("-longer.xar") })
    let (result, sink) = try unpack(try #require(folder.read(name)), name, rules(), maxSize: 100_000)
    #expect(result.cause == .archive(.wrongSize, entry: "want"))
    #expect(sink.written == 0)
  }

  @Test func `a hard link counts as the copy that it becomes`() throws {
    let names = ["a=big", "b=>a", "c=>b"]
    let archive = try TestArchives.make("tar", names, files: Self.files)
    let size = Int64(Self.big.count)
    let (whole, _) = try unpack(archive, "a.tar", rules(), maxSize: 3 * size)
    _ = try whole.get()
    let (result, sink) = try unpack(archive, "a.tar", rules(), maxSize: 3 * size - 1)
    #expect(result.cause == .tooLarge(limit: 3 * size - 1, size: 3 * size))
    #expect(sink.entries.count == 2)
  }

  @Test func `a long listing leaves the step in several blocks`() throws {
    let names = (0..<6_000).map { "a/\(String(repeating: "x", count: 60))\($0)=one" }
    let archive = try TestArchives.make("tar.gz", names, files: Self.files)
    let (result, sink) = try unpack(archive, "a.tar.gz", rules())
    var text: [UInt8] = []
    for entry in try sink.finish() { text += entry.line }
    #expect(text.count > Block.capacity)
    #expect(try result.get().output.sha256 == Digester.digest(text, .sha256))
    #expect(try result.get().output.size == Int64(text.count))
  }
}
