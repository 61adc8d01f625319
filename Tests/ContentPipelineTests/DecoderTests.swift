import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// xz, zstd and bzip2 with data from their own programs; gzip has ``GunzipTests``.
@Suite struct DecoderTests {
  private static let text = Array((0..<400).map { "line \($0 * $0 % 977) of some text\n" }.joined().utf8)

  private func spec(_ tool: PackingTool, threads: Int = 1) -> PipelineSpec {
    var spec = PipelineSpec(steps: [.decompress(tool.format)])
    spec.decoderThreads = threads
    return spec
  }

  private func run(_ spec: PipelineSpec, _ packed: [UInt8], pieces: Int = 1 << 20, pool: WorkerPool? = nil)
    throws -> Result<PipelineResult, FailureCause>
  {
    let course = Course(spec, pool: pool)
    try course.push(packed, pieces: pieces)
    return try course.finish()
  }

  @Test(arguments: PackingTool.all) func `data packed by the format's own program are unpacked`(
    _ tool: PackingTool
  ) throws {
    var random = SeededGenerator(seed: 3)
    for body in [[], [65], Self.text, random.bytes(1_500_000)] {
      for level in ["-1", "-6", "-9"] {
        let packed = try tool.pack(body, level)
        let result = try run(spec(tool), packed, pieces: 70_000).get()
        #expect(result.output == identity(body))
        #expect(result.download == identity(packed))
        #expect(result.lengthIsProvenByContent)
      }
    }
  }

  /// The data that may follow the last part, or be between two, as the format's own program defines it. But zeros at the
  /// end are allowed also where `zstd` refuses them, and nothing else is where `bzip2` merely warns.
  @Test(arguments: PackingTool.all)
  func `trailing data are accepted exactly where the format's own program accepts them`(
    _ tool: PackingTool
  ) throws {
    let one = try tool.pack(Self.text)
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    let tails: [[UInt8]] = [
      [], one, one + one, zeros(1), zeros(3), zeros(4), zeros(8), zeros(4) + one, zeros(3) + one,
      one + zeros(8) + one + zeros(4), zeros(4) + [1], [1], [0xfd], Array(one.prefix(3)),
      Array(one.prefix(9)),
      Array("<html>".utf8), [0x1f, 0x8b],
    ]
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    for tail in tails {
      var isGood = try tool.accepts(one + tail)
      if tool.format != .xz, tail.allSatisfy({ $0 == 0 }) { isGood = true }
      for pieces in [1, 1 << 20] {
        let result = try run(spec(tool), one + tail, pieces: pieces, pool: pool)
        #expect((result.cause == nil) == isGood, "\(tail.prefix(20)): \(String(describing: result.cause))")
        if !isGood { #expect(result.corruption?.format == tool.format) }
      }
    }
  }

  @Test(arguments: PackingTool.all) func `every part is unpacked`(_ tool: PackingTool) throws {
    let packed = try tool.pack(Self.text) + tool.pack([]) + tool.pack([1, 2, 3], "-9")
    for pieces in [1, 7, 4_000, 1 << 20] {
      #expect(try run(spec(tool), packed, pieces: pieces).get().output == identity(Self.text + [1, 2, 3]))
    }
  }

  @Test(arguments: PackingTool.all) func `data in another format are reported as such`(_ tool: PackingTool)
    throws
  {
    for text in ["<!DOCTYPE html><title>404</title>", "BZ", "\0", "\u{1f}no", "PK\u{3}\u{4}aaaaaaaaaaaaaaa"] {
      let corruption = try run(spec(tool), Array(text.utf8)).corruption
      let isPrefix = tool.format == .bzip2 && text == "BZ"
      // Thirteen bytes decide whether it can be a .lzma file.
      let isShort = tool.format == .xz && text.utf8.count < 13
      if isPrefix || isShort {
        #expect(corruption != nil)
      } else {
        #expect(corruption?.text == tool.format.isNotThis, "\(text)")
      }
    }
    #expect(try run(spec(tool), []).corruption?.text == tool.format.isEmpty)
  }

  @Test(arguments: PackingTool.all) func `data cut off at any byte are reported as ending inside a part`(
    _ tool: PackingTool
  ) throws {
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    let packed = try tool.pack(Array(Self.text.prefix(700)))
    for threads in [1, 3] {
      for size in 1..<packed.count {
        let result = try run(spec(tool, threads: threads), Array(packed.prefix(size)), pool: pool)
        #expect(
          result.cause
            == .corrupt(
              Corruption(
                tool.format, offset: Int64(size), text: tool.format.endsInside, isCutShort: true)),
          "cut at \(size)")
      }
    }
  }

  @Test(arguments: PackingTool.all) func `a wrong byte anywhere never gives wrong output`(_ tool: PackingTool)
    throws
  {
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    let body = Array(Self.text.prefix(700))
    let packed = try tool.pack(body)
    var failures = 0
    for index in packed.indices {
      for flip: UInt8 in [1, 0x10, 0x80, 0xff] {
        var wrong = packed
        wrong[index] ^= flip
        switch try run(spec(tool), wrong, pool: pool) {
        case .success(let result): #expect(result.output == identity(body), "byte \(index)")
        case .failure(.corrupt), .failure(.windowTooLarge): failures += 1
        case .failure(let other): Issue.record("byte \(index): \(other)")
        }
      }
    }
    #expect(failures > packed.count * 3)
  }

  @Test(arguments: PackingTool.all) func `a decompression bomb is stopped at the limit`(_ tool: PackingTool)
    throws
  {
    let bomb = try tool.pack([UInt8](repeating: 0, count: 60_000_000))
    let workshop = try Workshop()
    let output = try workshop.staged()
    var spec = spec(tool)
    spec.maxSize = 20_000_000
    let course = Course(spec, output: output)
    try course.push(bomb, pieces: 16_384)
    guard case .tooLarge(limit: 20_000_000, let size)? = try course.finish().cause else {
      Issue.record("passed")
      return
    }
    #expect(size > 20_000_000 && size <= 20_000_000 + Int64(Block.capacity))
    #expect(output.size <= 20_000_000)
  }

  @Test(arguments: PackingTool.all) func `a resumed download continues in the decoder`(_ tool: PackingTool)
    throws
  {
    var random = SeededGenerator(seed: 18)
    let body = random.bytes(3_000_000)
    let packed = try tool.pack(body, tool.format == .xz ? "-T2 --block-size=400000" : "")
    for (size, threads) in [(1, 1), (70_000, 3), (2_222_222, 1), (2_222_222, 3)] {
      let workshop = try Workshop()
      let partial = try workshop.newPartial()
      let first = Course(spec(tool, threads: threads), output: try workshop.staged(), partial: partial)
      try first.push(packed.prefix(size), pieces: 10_000)
      try first.flush()
      first.pipeline.cancel()
      partial.close()

      let output = try workshop.staged()
      let opened = try #require(try workshop.openPartial())
      let second = Course(spec(tool, threads: threads), output: output, partial: opened)
      second.pipeline.restore()
      let offset = try second.log.waitForRestored()
      #expect(offset == Int64(size))
      try second.push(packed.dropFirst(Int(offset)), pieces: 30_000)
      #expect(try second.finish().get().output == identity(body))
      #expect(try workshop.content(output) == body)
      #expect(try workshop.partialContent() == packed)
    }
  }

  @Test func `each step sees the bytes at its place, also with several layers of compression`() throws {
    var random = SeededGenerator(seed: 6)
    let inner = random.bytes(1_400_000)
    let middle = try PackingTool(format: .zstd).pack(inner)
    let outer = try PackingTool(format: .xz).pack(middle)
    let spec = PipelineSpec(steps: [
      .verifyDigest(.md5, digest(outer, .md5), step: 0), .decompress(.xz),
      .verifySize(Int64(middle.count), step: 2), .decompress(.zstd),
      .verifyDigest(.sha512, digest(inner, .sha512), step: 4),
    ])
    for pieces in [90_000, 1 << 20] {
      #expect(try run(spec, outer, pieces: pieces).get().output.size == Int64(inner.count))
    }
  }
}
