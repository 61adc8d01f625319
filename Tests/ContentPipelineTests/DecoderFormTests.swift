import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// Features that only one of the formats has.
@Suite struct DecoderFormTests {
  private static let text = Array((0..<400).map { "line \($0 * $0 % 977) of some text\n" }.joined().utf8)
  private let xz = PackingTool(format: .xz)
  private let zstd = PackingTool(format: .zstd)

  private func run(_ stage: PipelineSpec.Stage, _ packed: [UInt8], threads: Int = 1) throws
    -> Result<PipelineResult, FailureCause>
  {
    var spec = PipelineSpec(steps: [stage])
    spec.decoderThreads = threads
    let course = Course(spec)
    try course.push(packed, pieces: 50_000)
    return try course.finish()
  }

  @Test func `a .lzma file is unpacked, with or without its size, and only zeros may follow it`() throws {
    let packed = try xz.pack(Self.text, "--format=lzma")
    #expect(try run(.decompress(.xz), packed).get().output == identity(Self.text))
    // Eight bytes contain the size; if all bits are 1, an end mark ends the data.
    var sized = packed
    for index in 0..<8 { sized[5 + index] = UInt8(Self.text.count >> (8 * index) & 255) }
    #expect(try run(.decompress(.xz), sized).get().output == identity(Self.text))
    for tail: [UInt8] in [[0], [0, 0, 0, 0], [0, 0, 0, 0, 0]] {
      #expect(try run(.decompress(.xz), packed + tail).get().output == identity(Self.text))
    }
    for tail: [UInt8] in [[0, 1], [0, 0, 0, 0, 0xfd], Array("x".utf8), packed, [0, 0, 0, 0] + packed] {
      #expect(try run(.decompress(.xz), packed + tail).corruption?.text == Compression.xz.dataAfterEnd)
    }
    #expect(try run(.decompress(.xz), Array(packed.dropLast(5))).corruption?.isCutShort == true)
    // A .lzma file must not follow an .xz stream, either.
    #expect(
      try run(.decompress(.xz), xz.pack(Self.text) + packed).corruption?.text == Compression.xz.dataAfterEnd)
  }

  @Test(arguments: ["none", "crc32", "crc64", "sha256"])
  func `every kind of integrity check of xz is supported`(
    _ check: String
  ) throws {
    let packed = try xz.pack(Self.text, "--check=\(check)")
    #expect(try run(.decompress(.xz), packed).get().output == identity(Self.text))
  }

  @Test(arguments: [1, 2, 8]) func `a file of many blocks is unpacked by any number of threads`(
    _ threads: Int
  ) throws {
    var random = SeededGenerator(seed: 4)
    let body = (0..<40).flatMap { _ in random.bytes(30_000) + [UInt8](repeating: 7, count: 60_000) }
    let packed = try xz.pack(body, "-1 -T4 --block-size=200000")
    #expect(
      try run(.decompress(.xz), packed + packed, threads: threads).get().output == identity(body + body))
    for place in stride(from: 100, to: packed.count, by: packed.count / 40) {
      var wrong = packed
      wrong[place] ^= 0x55
      #expect(try run(.decompress(.xz), wrong, threads: threads).corruption != nil, "byte \(place)")
      #expect(
        try run(.decompress(.xz), Array(packed.prefix(place)), threads: threads).corruption?.isCutShort
          == true)
    }
  }

  @Test func `skippable frames unpack to nothing`() throws {
    let skipped: [UInt8] = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let packed = try zstd.pack(Self.text)
    #expect(try zstd.accepts(skipped + packed + skipped + packed + skipped))
    #expect(
      try run(.decompress(.zstd), skipped + packed + skipped + packed + skipped).get().output
        == identity(Self.text + Self.text))
    #expect(try run(.decompress(.zstd), Array(skipped.dropLast())).corruption?.isCutShort == true)
  }

  @Test func `a window larger than the step allows is refused, and the message names the size`() throws {
    // The size is unknown, so the header contains the window size itself.
    let wide = try zstd.pack(Self.text, "--long=28")
    #expect(
      try run(.decompress(.zstd), wide).cause
        == .windowTooLarge(needed: 256 << 20, limit: Compression.usualWindow))
    #expect(
      try run(.decompress(.zstd, window: (256 << 20) - 1), wide).cause
        == .windowTooLarge(needed: 256 << 20, limit: (256 << 20) - 1))
    #expect(try run(.decompress(.zstd, window: 256 << 20), wide).get().output == identity(Self.text))
    let widest = try zstd.pack(Self.text, "--ultra --long=31")
    #expect(
      try run(.decompress(.zstd, window: Compression.largestWindow), widest).get().output
        == identity(Self.text))
    #expect(
      try run(.decompress(.zstd), zstd.pack(Self.text, "--long=27")).get().output == identity(Self.text))
  }

  @Test func `the window size is read from every form of a frame header`() {
    func window(_ bytes: [UInt8], pieces: Int = 100) -> Int64? {
      var header = ZstdFrameHeader()
      var found: Int64?
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
        if let size = piece.withUnsafeBytes({ header.window(after: $0) }) { found = size }
      }
      return found
    }
    let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
    let table: [([UInt8], Int64?)] = [
      (magic + [0x00, 0x00], 1024), (magic + [0x04, 0x8b], 11 << 24), (magic + [0x20, 0x05], 5),
      (magic + [0x60, 0x05, 0x01], 261 + 256), (magic + [0xa2, 9, 9, 0, 0, 0, 1], 1 << 24),
      (magic + [0xe3, 9, 9, 9, 9, 1, 0, 0, 0, 1, 0, 0, 0], (1 << 32) + 1),
      (magic + [0xe3, 9, 9, 9, 9, 1, 0, 0, 0, 1, 0, 0], nil),
      ([0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 0, 0], nil),
    ]
    for (bytes, expected) in table {
      #expect(window(bytes) == expected, "\(bytes)")
      #expect(window(bytes, pieces: 1) == expected, "\(bytes)")
    }
  }
}
