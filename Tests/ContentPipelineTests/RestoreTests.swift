import ContentPipeline
import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

/// Downloads that another process or an earlier try has left incomplete.
@Suite struct RestoreTests {
  private static let body: [UInt8] = {
    var random = SeededGenerator(seed: 8)
    return random.bytes(4_000_000)
  }()
  private static let packed = GzipWriter.member(body, .stored)

  private static let spec = PipelineSpec(
    steps: [
      .verifyDigest(.md5, digest(packed, .md5), step: 0), .gunzip,
      .verifyDigest(.sha512, digest(body, .sha512), step: 2),
    ])

  /// Pushes the first `size` bytes; `isKilled`: without a flush, as after `kill -9`.
  private func begin(_ workshop: Workshop, _ spec: PipelineSpec, size: Int, isKilled: Bool = false) throws {
    let partial = try workshop.newPartial()
    let output = spec.transforms ? try workshop.staged() : nil
    let course = Course(spec, output: output, partial: partial)
    try course.push((spec.transforms ? Self.packed : Self.body).prefix(size), pieces: 10_000)
    if !isKilled { try course.flush() }
    course.pipeline.cancel()
    partial.close()
  }

  /// Restores and pushes the rest; returns the start of the rest, and the result.
  private func goOn(_ workshop: Workshop, _ spec: PipelineSpec) throws -> (Int64, PipelineResult) {
    let partial = try #require(try workshop.openPartial())
    let output = spec.transforms ? try workshop.staged() : nil
    let course = Course(spec, output: output, partial: partial)
    course.pipeline.restore()
    let offset = try course.log.waitForRestored()
    #expect(course.pipeline.acceptedBytes == offset)
    #expect(partial.size == offset)
    let bytes = spec.transforms ? Self.packed : Self.body
    try course.push(bytes.dropFirst(Int(offset)), pieces: 30_000)
    let result = try course.finish().get()
    #expect(try workshop.partialContent() == bytes)
    if let output { #expect(try workshop.content(output) == Self.body) }
    return (offset, result)
  }

  @Test(arguments: [1, 70_000, 1_048_576, 3_333_333])
  func `a resumed download passes through gunzip and verify`(
    size: Int
  ) throws {
    let workshop = try Workshop()
    try begin(workshop, Self.spec, size: size)
    let (offset, result) = try goOn(workshop, Self.spec)
    #expect(offset == Int64(size))
    #expect(result.download == identity(Self.packed, [.md5]))
    #expect(result.output == identity(Self.body, [.sha512]))
  }

  @Test(arguments: [1, 3_333_333]) func `a download without a transforming step is resumed`(size: Int) throws
  {
    let workshop = try Workshop()
    try begin(workshop, PipelineSpec(), size: size)
    let (offset, result) = try goOn(workshop, PipelineSpec())
    #expect(offset == Int64(size))
    #expect(result.download == identity(Self.body))
  }

  @Test func `checkpoints are made about every 64 KiB at first, later every MiB`() throws {
    let workshop = try Workshop()
    let partial = try workshop.newPartial()
    let course = Course(PipelineSpec(), partial: partial)
    for start in stride(from: 0, to: Self.body.count, by: 16_384) {
      try course.push(Self.body[start..<min(start + 16_384, Self.body.count)])
    }
    #expect(try course.finish().cause == nil)
    let offsets = partial.checkpoints.map(\.offset)
    #expect(offsets.first ?? 0 <= 256 << 10)
    for (a, b) in zip(offsets, offsets.dropFirst()) {
      #expect(b - a >= 64 << 10)
      #expect(b - a <= (1 << 20) + (256 << 10))
    }
    #expect(Int64(Self.body.count) - (offsets.last ?? 0) <= 5 << 18)
    for checkpoint in partial.checkpoints {
      #expect(checkpoint.sha256 == digest(Array(Self.body.prefix(Int(checkpoint.offset)))))
    }
  }

  @Test func `after a wrong byte the restore falls back to the previous checkpoint`() throws {
    let workshop = try Workshop()
    try begin(workshop, Self.spec, size: 3_333_333)
    let offsets = try #require(try workshop.openPartial()).checkpoints.map(\.offset)
    #expect(offsets.count >= 4)
    let wrong = offsets.count - 2
    try workshop.corruptPartial(at: Int(offsets[wrong]) - 1)
    let (offset, result) = try goOn(workshop, Self.spec)
    #expect(offset == offsets[wrong - 1])
    #expect(result.output == identity(Self.body, [.sha512]))
  }

  @Test func `a wrong first byte leaves nothing to resume from`() throws {
    let workshop = try Workshop()
    try begin(workshop, Self.spec, size: 2_000_000)
    try workshop.corruptPartial(at: 0)
    #expect(try goOn(workshop, Self.spec).0 == 0)
  }

  @Test func `bytes after the last checkpoint are dropped`() throws {
    let workshop = try Workshop()
    try begin(workshop, PipelineSpec(), size: 500_000)
    let file = try FileHandle(
      forWritingTo: URL(fileURLWithPath: workshop.path + "/.syncmake/partial/ab.part"))
    try file.seekToEnd()
    try file.write(contentsOf: Data("torn".utf8))
    try file.close()
    #expect(try goOn(workshop, PipelineSpec()).0 == 500_000)
  }

  @Test func `after a kill the download resumes from a checkpoint`() throws {
    let workshop = try Workshop()
    try begin(workshop, Self.spec, size: 3_000_000, isKilled: true)
    let (offset, result) = try goOn(workshop, Self.spec)
    #expect(offset <= 3_000_000)
    #expect(result.output == identity(Self.body, [.sha512]))
  }

  @Test func `kept bytes that cannot be unpacked do not count`() throws {
    let workshop = try Workshop()
    let partial = try workshop.newPartial()
    let course = Course(PipelineSpec(), partial: partial)
    try course.push(Array("<html>".utf8))
    try course.flush()
    course.pipeline.cancel()
    partial.close()
    #expect(try goOn(workshop, Self.spec).0 == 0)
  }

  @Test(arguments: UnpackingLibrary.allCases) func `a member that was damaged in transit does not count`(
    library: UnpackingLibrary
  ) throws {
    var damaged = GzipWriter.member(Array("a small member\n".utf8))
    damaged[damaged.count - 6] ^= 1
    let workshop = try Workshop()
    let partial = try workshop.newPartial()
    let course = Course(PipelineSpec(), partial: partial)
    try course.push(damaged + GzipWriter.member(Array("the next\n".utf8)).prefix(12))
    try course.flush()
    course.pipeline.cancel()
    partial.close()
    var spec = Self.spec
    spec.library = library
    #expect(try goOn(workshop, spec).0 == 0)
  }

  @Test func `kept bytes above the size limit are not resumed`() throws {
    let workshop = try Workshop()
    try begin(workshop, PipelineSpec(), size: 1_000_000)
    let partial = try #require(try workshop.openPartial())
    let course = Course(PipelineSpec(maxSize: 100_000), partial: partial)
    course.pipeline.restore()
    #expect(try course.log.waitForRestored() <= 100_000)
    #expect(partial.size <= 100_000)
  }

  @Test func `a body that is cut short keeps every byte for resuming`() throws {
    for (spec, size) in [
      (PipelineSpec(steps: [.gunzip]), 1_234_567),
      (PipelineSpec(steps: [.verifySize(Int64(Self.packed.count), step: 0), .gunzip]), 5),
    ] {
      let workshop = try Workshop()
      let partial = try workshop.newPartial()
      let course = Course(spec, output: try workshop.staged(), partial: partial)
      try course.push(Self.packed.prefix(size))
      #expect(try course.finish().cause != nil)
      partial.close()
      #expect(try goOn(workshop, spec).0 == Int64(size))
    }
  }

  @Test func `a cancelled restore leaves the partial download unchanged`() throws {
    let workshop = try Workshop()
    try begin(workshop, PipelineSpec(), size: 3_000_000)
    let partial = try #require(try workshop.openPartial())
    let before = partial.checkpoints
    let pool = WorkerPool(threads: 1)
    defer { pool.shutDown() }
    let gate = DispatchSemaphore(value: 0)
    pool.submit { _ = gate.wait(timeout: .now() + 60) }
    let course = Course(PipelineSpec(), partial: partial, pool: pool)
    course.pipeline.restore()
    let log = course.log
    course.pipeline.flush { log.addFlush() }
    gate.signal()
    try log.waitForFlush()
    #expect(log.all == [])
    #expect(partial.checkpoints == before)
    #expect(partial.size == 3_000_000)
  }

  @Test func `without a partial download there is nothing to restore`() throws {
    let course = Course(PipelineSpec())
    course.pipeline.restore()
    #expect(try course.log.waitForRestored() == 0)
    #expect(try course.finish().get().download == identity([]))
  }
}
