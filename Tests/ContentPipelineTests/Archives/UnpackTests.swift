import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

@Suite struct UnpackTests {
  private static let big = TestData.random(1_500_000, seed: 4)
  private static let files: [String: [UInt8]] = [
    "one": Array("one\n".utf8), "two": Array("two\n".utf8), "big": big,
  ]

  /// The output of `unpack` with these rules, or why there is none; with `partial` the download is kept.
  private func unpack(
    _ archive: [UInt8], _ name: String, _ rules: UnpackRules, piece: Int = 100_000, partial: Bool = false,
    then more: [PipelineSpec.Stage] = [], maxSize: Int64? = nil, room: Int64 = .max
  ) throws -> Result<[UInt8], FailureCause> {
    let workshop = try Workshop()
    var spec = PipelineSpec(steps: [.unpack(rules, name: name)] + more, maxSize: maxSize)
    spec.scratch = workshop.state
    spec.requireRoom = { size throws(FailureCause) in
      if size > room { throw .roomMissing(path: "out", needed: size, free: room) }
    }
    let output = try workshop.staged()
    let course = Course(spec, output: output, partial: partial ? try workshop.newPartial() : nil)
    try course.push(archive, pieces: piece)
    switch try course.finish() {
    case .success(let result):
      let content = try workshop.content(output)
      #expect(result.output.size == Int64(content.count))
      #expect(result.lengthIsProvenByContent)
      return .success(content)
    case .failure(let cause): return .failure(cause)
    }
  }

  private func rules(_ pattern: String, strip: UnpackRules.Strip = .count(0), format: ArchiveFormat? = nil)
    throws
    -> UnpackRules
  {
    UnpackRules(entry: try PathPattern(pattern), format: format, strip: strip)
  }

  @Test(arguments: TestArchives.forms) func `one file of every format`(form: String) throws {
    guard TestArchives.canMake(form) else { return }
    let archive = try TestArchives.make(
      form, ["rg-1/", "rg-1/README=one", "rg-1/bin/rg=big", "rg-1/doc/rg.1=two", "rg-1/l->bin/rg"],
      files: Self.files)
    for piece in [archive.count, 70_001] {
      #expect(try unpack(archive, TestArchives.name(form), rules("*/*/rg"), piece: piece).get() == Self.big)
    }
    #expect(try unpack(archive, "download", rules("README"), partial: true).get() == Self.files["one"])
    #expect(try unpack(archive, "download", rules("/doc/rg.1", strip: .count(1))).get() == Self.files["two"])
    #expect(try unpack(archive, "download", rules("/bin/rg", strip: .auto), partial: true).get() == Self.big)
    #expect(try unpack(archive, "download", rules("/bin/rg", strip: .auto)).get() == Self.big)
  }

  @Test(arguments: TestArchives.forms) func `small pieces make no difference`(form: String) throws {
    guard TestArchives.canMake(form) else { return }
    let archive = try TestArchives.make(form, ["d/a=one", "d/b=two"], files: Self.files)
    for piece in [1, 511] {
      #expect(
        try unpack(archive, TestArchives.name(form), rules("b"), piece: piece).get() == Self.files["two"])
    }
  }

  @Test(arguments: TestArchives.forms) func `an archive that is cut anywhere gives no output`(form: String)
    throws
  {
    guard TestArchives.canMake(form) else { return }
    let archive = try TestArchives.make(form, ["d/a=one", "d/b=two"], files: Self.files)
    // The zeros after a tar's end are no part of it, and bsdtar adds twenty bytes to a xar that belong to nothing.
    let end = form == "tar" ? 3 * 1_024 : form == "xar" ? archive.count - 20 : archive.count
    for size in Array(stride(from: 0, to: end, by: max(1, end / 40))) + [end - 1] {
      let cause = try unpack(Array(archive[..<size]), TestArchives.name(form), rules("b")).cause
      #expect(
        cause?.code == .archiveCorrupt, "\(size) of \(archive.count): \(cause.map { "\($0)" } ?? "none")")
    }
  }

  @Test(arguments: TestArchives.forms) func `room is needed for the wanted file, before its first byte`(
    form: String
  ) throws {
    guard TestArchives.canMake(form) else { return }
    let archive = try TestArchives.make(form, ["d/a=one", "d/big=big", "d/b=two"], files: Self.files)
    for strip in [UnpackRules.Strip.count(0), .auto] {
      func unpack(_ entry: String, maxSize: Int64? = nil, then more: [PipelineSpec.Stage] = []) throws
        -> Result<[UInt8], FailureCause>
      {
        try self.unpack(
          archive, TestArchives.name(form), rules(entry, strip: strip), then: more, maxSize: maxSize,
          room: 5000)
      }
      #expect(try unpack("b").get() == Self.files["two"])
      let needed = Int64(Self.big.count)
      #expect(try unpack("big").cause == .roomMissing(path: "out", needed: needed, free: 5000))
      #expect(try unpack("big", maxSize: 5000).cause?.code == .tooLarge)
      // What another step makes of it may be smaller.
      #expect(try unpack("big", then: [.gunzip]).cause?.code == .gzipCorrupt)
    }
  }

  @Test func `a later file replaces the earlier one, whose bytes are taken back`() throws {
    for (first, second) in [("big", "one"), ("one", "big"), ("big", "big")] {
      let archive = try TestArchives.make("tar", ["a=\(first)", "b=two", "a=\(second)"], files: Self.files)
      let size = Int64(Self.files[second]!.count)
      let output = try unpack(archive, "a.tar", rules("a"), then: [.verifySize(size, step: 1)], maxSize: nil)
      #expect(try output.get() == Self.files[second])
    }
  }

  @Test func `steps after unpack see the file's bytes`() throws {
    let packed = try TestData.gzip(Self.big)
    let archive = try TestArchives.make("tar.xz", ["d/x.gz=packed"], files: ["packed": packed])
    #expect(try unpack(archive, "a.tar.xz", rules("x.gz"), then: [.gunzip]).get() == Self.big)
    let wrong = PipelineSpec.Stage.verifySize(5, step: 1)
    #expect(try unpack(archive, "a.tar.xz", rules("x.gz"), then: [wrong]).cause?.code == .sizeMismatch)
  }

  @Test(arguments: ["tar.gz", "zip"]) func `the file may not exceed the limit`(form: String) throws {
    let zeros = [UInt8](repeating: 0, count: 2_000_000)
    let archive = try TestArchives.make(form, ["a=zeros", "b=one"], files: ["zeros": zeros, "one": [1]])
    #expect(try unpack(archive, "a.\(form)", rules("a"), maxSize: 1_000_000).cause?.code == .tooLarge)
    #expect(try unpack(archive, "a.\(form)", rules("b"), maxSize: 1_000_000).get() == [1])
  }

  @Test func `a name that does not fit the bytes needs format`() throws {
    let archive = try TestArchives.make("zip", ["a=one"], files: Self.files)
    let fault = ArchiveFault(.otherFormat(named: .tarGzip, found: .zip))
    #expect(try unpack(archive, "a.tar.gz", rules("a")).cause == .archive(fault))
    #expect(try unpack(archive, "a.tar.gz", rules("a", format: .zip)).get() == Self.files["one"])
    #expect(try unpack(archive, "a.zip", rules("a", format: .tarGzip)).cause?.code == .archiveCorrupt)
  }

  @Test func `twins with the same bytes in a zip are one file`() throws {
    let archive = try TestArchives.make("zip", ["a=one", "b=two", "a=one"], files: Self.files)
    #expect(try unpack(archive, "a.zip", rules("a")).get() == Self.files["one"])
    let other = try TestArchives.make("zip", ["a=one", "b=two", "a=two"], files: Self.files)
    #expect(try unpack(other, "a.zip", rules("b")).cause == .archive(.duplicateFile, entry: "a"))
  }

  @Test(arguments: ["tar.gz", "zip"]) func `an interrupted archive is resumed`(form: String) throws {
    let archive = try TestArchives.make(form, ["a=big", "b=one"], files: Self.files)
    let workshop = try Workshop()
    var spec = PipelineSpec(steps: [.unpack(try rules("a"), name: "a.\(form)")])
    spec.scratch = workshop.state
    let first = Course(spec, output: try workshop.staged(), partial: try workshop.newPartial())
    try first.push(archive[..<1_000_000], pieces: 50_000)
    try first.flush()
    first.pipeline.cancel()
    let output = try workshop.staged()
    let course = Course(spec, output: output, partial: try workshop.openPartial())
    course.pipeline.restore()
    let offset = Int(try course.log.waitForRestored())
    #expect(offset == 1_000_000)
    try course.push(archive[offset...], pieces: 50_000)
    #expect(try course.finish().cause == nil)
    #expect(try workshop.content(output) == Self.big)
  }

  @Test func `a cancelled pipeline ends in the midst of a bomb`() throws {
    let zeros = [UInt8](repeating: 0, count: 200_000_000)
    let archive = try TestArchives.make(
      "tar.zst", ["a=zeros", "b=one"], files: ["zeros": zeros, "one": [1]])
    let course = Course(PipelineSpec(steps: [.unpack(try rules("b"), name: "a.tar.zst")]))
    let clock = ContinuousClock()
    try course.push(archive)
    #expect(clock.measure { course.pipeline.cancel() } < .seconds(2))
  }
}

extension Result<[UInt8], FailureCause> {
  var cause: FailureCause? { if case .failure(let cause) = self { cause } else { nil } }
}
