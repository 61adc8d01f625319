import Foundation
import LocalFiles
import Platform
import SyncModel
import Testing

@testable import ContentPipeline

/// A small body must have the same result as a pipeline with the same bytes.
@Suite struct SmallBodyTests {
  private let workshop: Workshop
  init() throws { workshop = try Workshop() }

  private static let bytes = Array("some few bytes\n".utf8)
  private static let good = Digester.digest(bytes, .md5)
  private static let bad = HexDigest(bytes: [UInt8](repeating: 7, count: 16))

  private static let specs: [PipelineSpec] = [
    PipelineSpec(),
    PipelineSpec(
      steps: [.verifyDigest(.md5, good, step: 1)], downloadDigests: [.sha1], outputDigests: [.sha512]),
    PipelineSpec(steps: [.verifySize(15, step: 0), .verifyDigest(.md5, nil, step: 2)]),
    PipelineSpec(steps: [.verifyDigest(.md5, bad, step: 0)]),
    PipelineSpec(steps: [.verifySize(3, step: 0), .verifyDigest(.md5, bad, step: 1)]),
    PipelineSpec(steps: [.verifyDigest(.md5, bad, step: 0), .verifySize(16, step: 1)]),
    PipelineSpec(maxSize: 14), PipelineSpec(maxSize: 15),
  ]

  @Test(arguments: specs.indices) func `a small body passes or fails as in a pipeline`(index: Int) throws {
    let spec = Self.specs[index]
    let staged = try workshop.staged()
    let body = try #require(SmallBody(spec, size: Int64(Self.bytes.count), output: staged))
    for piece in [Self.bytes.prefix(4), Self.bytes.dropFirst(4)] {
      #expect(piece.withUnsafeBytes { body.take($0) })
    }
    #expect(body.acceptedBytes == Int64(Self.bytes.count))
    let event = Result { () throws(FailureCause) in try body.finish() }.event
    let other = try workshop.staged()
    #expect(event == Self.pipelined(spec, to: other))
    if case .finished = event { #expect(try workshop.content(staged) == Self.bytes) }
  }

  @Test func `bytes that are in their file already are only digested`() throws {
    let spec = PipelineSpec(steps: [.verifyDigest(.md5, Self.good, step: 0)])
    let body = try #require(SmallBody(spec, size: Int64(Self.bytes.count), output: nil))
    #expect(Self.bytes.withUnsafeBytes { body.take($0) })
    guard case .finished(let result) = try body.finish() else {
      Issue.record("it was refused")
      return
    }
    #expect(result.output.size == 15)
    #expect(result.output.sha256 == Digester.digest(Self.bytes, .sha256))
  }

  @Test func `an empty body is a small body`() throws {
    let staged = try workshop.staged()
    let body = try #require(SmallBody(PipelineSpec(), size: 0, output: staged))
    guard case .finished(let result) = try body.finish() else {
      Issue.record("it was refused")
      return
    }
    #expect(result.output == ContentIdentity(size: 0, sha256: Digester.digest([], .sha256)))
    #expect(try workshop.content(staged) == [])
  }

  @Test func `more bytes than announced are accepted up to the limit for small bodies`() throws {
    let body = try #require(SmallBody(PipelineSpec(), size: 0, output: try workshop.staged()))
    let most = [UInt8](repeating: 7, count: StagedFile.mostHeld)
    #expect(most.withUnsafeBytes { body.take($0) })
    #expect(!Self.bytes.withUnsafeBytes { body.take($0) })
    #expect(body.bytes == most)
  }

  @Test func `bodies that take longer are left to a pipeline`() throws {
    let most = Int64(StagedFile.mostHeld)
    let staged = try workshop.staged()
    #expect(SmallBody(PipelineSpec(), size: most, output: staged) != nil)
    #expect(SmallBody(PipelineSpec(), size: most + 1, output: staged) == nil)
    #expect(SmallBody(PipelineSpec(), size: nil, output: staged) == nil)
    #expect(SmallBody(PipelineSpec(steps: [.gunzip]), size: 1, output: staged) == nil)
    try staged.sync()
    #expect(SmallBody(PipelineSpec(), size: most, output: staged) == nil)
  }

  private static func pipelined(_ spec: PipelineSpec, to file: StagedFile) -> PipelineEvent? {
    let events = Monitor<[PipelineEvent]>([])
    let pool = WorkerPool(threads: 1)
    let pipeline = Pipeline(spec: spec, output: file, partial: nil, pool: pool) { event in
      events.withLock { $0.append(event) }
    }
    _ = bytes.withUnsafeBytes { pipeline.push($0) }
    pipeline.finish()
    pool.shutDown()
    return events.withLock { $0.last }
  }
}

extension Result<PipelineEvent, FailureCause> {
  /// The event that a pipeline reports for it.
  fileprivate var event: PipelineEvent {
    switch self {
    case .success(let event): event
    case .failure(let cause): .failed(cause)
    }
  }
}
