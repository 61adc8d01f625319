import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// Bodies that nothing transforms.
@Suite struct PlainBodyTests {
  private static let bytes: [UInt8] = {
    var random = SeededGenerator(seed: 1)
    return random.bytes(3_000_001)
  }()

  @Test(arguments: [0, 1, 65_536, Block.capacity, Block.capacity + 1, 3_000_001])
  func `bytes reach the output unchanged`(
    size: Int
  ) throws {
    let workshop = try Workshop()
    let output = try workshop.staged()
    let bytes = Array(Self.bytes.prefix(size))
    let course = Course(PipelineSpec(downloadDigests: [.md5], outputDigests: [.sha1]), output: output)
    try course.push(bytes, pieces: 100_000)
    let result = try course.finish().get()
    let expected = identity(bytes, [.md5, .sha1])
    #expect(
      result == PipelineResult(download: expected, output: expected, lengthIsProvenByContent: false))
    #expect(course.pipeline.acceptedBytes == Int64(size))
    #expect(try workshop.content(output) == bytes)
  }

  @Test func `with a partial download the bytes go there and nowhere else`() throws {
    let workshop = try Workshop()
    let partial = try workshop.newPartial()
    let course = Course(PipelineSpec(), partial: partial)
    try course.push(Self.bytes, pieces: 16_384)
    #expect(try course.finish().get().output == identity(Self.bytes))
    #expect(try workshop.partialContent() == Self.bytes)
  }

  @Test func `pieces of any size give the same result`() throws {
    var random = SeededGenerator(seed: 2)
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    for _ in 0..<20 {
      let course = Course(PipelineSpec(), pool: pool)
      var rest = Self.bytes[...]
      while !rest.isEmpty {
        let size = Int.random(in: 0...(Bool.random(using: &random) ? 1_000 : 1_200_000), using: &random)
        try course.push(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(try course.finish().get().download == identity(Self.bytes))
    }
  }

  @Test func `the bytes are checked against each step, and the first failing step is named`() throws {
    let bytes = Array("hello\n".utf8)
    let good = digest(bytes, .md5)
    let bad = digest([], .md5)
    func run(_ steps: [PipelineSpec.Stage]) throws -> FailureCause? {
      try Course.run(PipelineSpec(steps: steps), bytes).cause
    }
    func mismatch(_ step: Int) -> FailureCause {
      .digestMismatch(algorithm: .md5, expected: bad, actual: good, step: step)
    }
    #expect(try run([.verifyDigest(.md5, good, step: 0), .verifySize(6, step: 1)]) == nil)
    #expect(try run([.verifyDigest(.md5, bad, step: 0)]) == mismatch(0))
    #expect(try run([.verifyDigest(.md5, bad, step: 0), .verifySize(7, step: 1)]) == mismatch(0))
    #expect(
      try run([.verifySize(7, step: 0), .verifyDigest(.md5, bad, step: 1)])
        == .sizeMismatch(expected: 7, actual: 6, step: 0))
    #expect(
      try run([.verifyDigest(.md5, good, step: 0), .verifyDigest(.md5, bad, step: 4)]) == mismatch(4))
  }

  @Test func `a size or a digest proves the length, and no step proves nothing`() throws {
    let bytes = Array("x".utf8)
    func isProven(_ spec: PipelineSpec) throws -> Bool {
      try Course.run(spec, bytes).get().lengthIsProvenByContent
    }
    let md5 = digest(bytes, .md5)
    #expect(try !isProven(PipelineSpec(downloadDigests: [.md5])))
    #expect(try isProven(PipelineSpec(steps: [.verifySize(1, step: 0)])))
    #expect(try isProven(PipelineSpec(steps: [.verifyDigest(.md5, md5, step: 0)])))
  }

  @Test func `too many bytes fail before the end and are not written`() throws {
    let workshop = try Workshop()
    // The first block that exceeds the limit is seen as a whole.
    let seen = Int64((1 << 20) + Block.capacity)
    for (spec, expected) in [
      (PipelineSpec(maxSize: 1 << 20), FailureCause.tooLarge(limit: 1 << 20, size: seen)),
      (
        PipelineSpec(steps: [.verifySize(1 << 20, step: 3)]),
        FailureCause.sizeMismatch(expected: 1 << 20, actual: seen, step: 3)
      ),
    ] {
      let output = try workshop.staged()
      let course = Course(spec, output: output)
      try course.push(Self.bytes, pieces: 1 << 18)
      #expect(try course.log.waitForEnd().cause == expected)
      #expect(output.size <= 1 << 20)
      // Later bytes are dropped silently.
      try course.push(Self.bytes)
      #expect(course.log.all.filter { $0 != .drained }.count == 1)
    }
  }

  @Test func `a body of exactly the limit passes`() throws {
    #expect(try Course.run(PipelineSpec(maxSize: 5), Array("hello".utf8)).cause == nil)
    #expect(
      try Course.run(PipelineSpec(maxSize: 4), Array("hello".utf8)).cause == .tooLarge(limit: 4, size: 5))
    #expect(try Course.run(PipelineSpec(maxSize: 0), []).cause == nil)
  }
}
