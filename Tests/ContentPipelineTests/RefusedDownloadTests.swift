import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// Bodies that a step refuses, and that are digested to their end nevertheless.
@Suite struct RefusedDownloadTests {
  private static let body: [UInt8] = {
    var random = SeededGenerator(seed: 9)
    return random.bytes(3_000_000)
  }()

  /// Damaged early: the sum of the first of three members is another.
  private static let packed: [UInt8] = {
    var packed = [body.prefix(1_200_000), body.prefix(1_700_000), body[...]].flatMap {
      GzipWriter.member(Array($0), .stored)
    }
    packed[5000] ^= 1
    return packed
  }()

  private static func spec(_ steps: [PipelineSpec.Stage] = [.gunzip], maxSize: Int64? = nil) -> PipelineSpec {
    var spec = PipelineSpec(steps: steps, downloadDigests: [.md5], maxSize: maxSize)
    spec.digestsRefusedDownload = true
    return spec
  }

  private func end(
    _ spec: PipelineSpec, _ bytes: [UInt8], output: StagedFile? = nil, partial: PartialDownload? = nil
  ) throws -> PipelineEvent {
    let course = Course(spec, output: output, partial: partial)
    try course.push(bytes, pieces: 100_000)
    course.pipeline.finish()
    return try course.log.waitForLast()
  }

  /// The fault that is reported if no digest was announced.
  private func wrongSum() throws -> FailureCause {
    let event = try end(PipelineSpec(steps: [.gunzip]), Self.packed)
    let cause: FailureCause? = if case .failed(let cause) = event { cause } else { nil }
    return try #require(cause)
  }

  @Test func `a body that a decoder refuses is digested to its end`() throws {
    #expect(
      try end(Self.spec(), Self.packed)
        == .refused(wrongSum(), download: identity(Self.packed, [.md5])))
  }

  @Test func `nothing of it stays in the files`() throws {
    let workshop = try Workshop()
    let (output, partial) = (try workshop.staged(), try workshop.newPartial())
    #expect(
      try end(Self.spec(), Self.packed, output: output, partial: partial)
        == .refused(wrongSum(), download: identity(Self.packed, [.md5])))
    #expect(partial.size == 0)
    #expect(try workshop.partialContent() == [])
    #expect(try workshop.content(output) == [])
  }

  @Test func `nothing of it is kept for resuming when its rest does not come`() throws {
    let workshop = try Workshop()
    let (output, partial) = (try workshop.staged(), try workshop.newPartial())
    let course = Course(Self.spec(), output: output, partial: partial)
    var packed = Self.packed
    // No block of deflated data begins so: it is refused before the queue is full.
    packed[10] = 0xff
    try course.push(packed.prefix(5_000_000), pieces: 100_000)
    try course.flush()
    course.pipeline.cancel()
    #expect(partial.keep() == 0)
  }

  @Test func `a step behind the decoder refuses in the same way`() throws {
    let packed = GzipWriter.member(Self.body, .stored)
    #expect(
      try end(Self.spec([.gunzip, .verifySize(7, step: 1)]), packed)
        == .refused(
          .sizeMismatch(expected: 7, actual: Int64(Block.capacity), step: 1),
          download: identity(packed, [.md5])))
  }

  @Test func `a body that seems cut short keeps its part`() throws {
    let workshop = try Workshop()
    let (output, partial) = (try workshop.staged(), try workshop.newPartial())
    let packed = Array(GzipWriter.member(Self.body, .stored).dropLast(9))
    #expect(
      try end(Self.spec(), packed, output: output, partial: partial)
        == .refused(
          .corrupt(
            Corruption(
              .gzip, offset: Int64(packed.count), text: Compression.gzip.endsInside, isCutShort: true)),
          download: identity(packed, [.md5])))
    #expect(try workshop.partialContent() == packed)
  }

  /// Without it, a body that has no end would be read for ever.
  @Test(arguments: [Self.spec(maxSize: 4_000_000), Self.spec([.verifySize(4_000_000, step: 0), .gunzip])])
  func `the limits of the download end it, with the decoder's fault`(spec: PipelineSpec) throws {
    let course = Course(spec)
    try course.push(Self.packed, pieces: 100_000)
    #expect(try course.log.waitForLast() == .failed(wrongSum()))
  }

  @Test func `a small body without a decoder is refused in the same way`() throws {
    let workshop = try Workshop()
    let few = Array("few".utf8)
    let spec = Self.spec([.verifySize(4, step: 0)])
    let small = try #require(SmallBody(spec, size: 3, output: try workshop.staged()))
    #expect(few.withUnsafeBytes { small.take($0) })
    let event = try small.finish()
    #expect(
      event
        == .refused(.sizeMismatch(expected: 4, actual: 3, step: 0), download: identity(few, [.md5])))
    #expect(try end(spec, few) == event)
  }
}
