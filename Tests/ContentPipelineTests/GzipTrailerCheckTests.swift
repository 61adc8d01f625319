import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

/// The checksums in gzip's trailers: another thread than zlib's compares them with the decompressed bytes.
@Suite struct GzipTrailerCheckTests {
  private let gunzip = PipelineSpec(steps: [.gunzip])
  private static let good = GzipWriter.member(Array("good".utf8))

  /// A member of `size` bytes whose trailer is wrong in the byte at `place`, counted from its end.
  private static func wrong(_ size: Int = 40, _ place: Int) -> [UInt8] {
    var member = GzipWriter.member((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
    member[member.count - 1 - place] ^= 4
    return member
  }

  @Test(arguments: [40, Block.capacity, 1_200_000]) func `a wrong checksum is an error with its offset`(
    size: Int
  )
    throws
  {
    for (place, text, back) in [(7, "incorrect data check", 4), (0, "incorrect length check", 0)] {
      let body = Self.good + Self.wrong(size, place)
      #expect(
        try Course.run(gunzip, body + Self.good).cause
          == .corrupt(Corruption(.gzip, offset: Int64(body.count - back), text: text)))
      #expect(
        try Course.run(gunzip, body).cause
          == .corrupt(Corruption(.gzip, offset: Int64(body.count - back), text: text)))
    }
  }

  @Test(arguments: [40, 600_000]) func `a wrong checksum is reported before later errors`(
    size: Int
  ) throws {
    let member = Self.wrong(size, 5)
    let expected = FailureCause.corrupt(
      Corruption(.gzip, offset: Int64(member.count - 4), text: "incorrect data check"))
    for rest in [Array("no gzip".utf8), Array(Self.good.dropLast()), [0x1f, 0x8b, 9], Self.wrong(40, 0)] {
      #expect(try Course.run(gunzip, member + rest).cause == expected)
    }
  }

  @Test func `a wrong checksum in a header is also found`() throws {
    // RFC 1952, section 2.3: with this flag the header has a checksum of two bytes.
    var member = GzipWriter.member(Array("good".utf8))
    member[3] |= 2
    member.insert(contentsOf: [0, 0], at: 10)
    #expect(try Course.run(gunzip, Self.good + member).gzipFault != nil)
  }

  /// A member whose header has all optional fields, with its own checksum at the end (RFC 1952, section 2.3).
  private static func adorned(sumIsRight: Bool = true) -> (header: [UInt8], whole: [UInt8]) {
    let plain = GzipWriter.member(Array("good".utf8))
    var header: [UInt8] = [0x1f, 0x8b, 8, 0x1f] + plain[4..<10] + [3, 0] + Array("abcname\0comment\0".utf8)
    let sum = crc32(header) ^ (sumIsRight ? 0 : 1)
    header += [UInt8(sum & 0xff), UInt8(sum >> 8 & 0xff)]
    return (header, header + plain[10...])
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    let polynomial: UInt32 = 0xEDB8_8320
    var sum: UInt32 = ~0
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ polynomial : sum >> 1 }
    }
    return ~sum
  }

  /// The result of `library` for the pieces; `nil` if it finds a fault.
  private static func unpacked(_ pieces: [ArraySlice<UInt8>], _ library: UnpackingLibrary) throws -> [UInt8]?
  {
    let unpacker = GzipDecoder(library, leavesSums: false)
    try unpacker.begin(with: 0x1f)
    var (made, room) = ([UInt8](), [UInt8](repeating: 0, count: 100))
    for piece in pieces {
      var rest = piece
      while !rest.isEmpty {
        let step = rest.withUnsafeBytes { input in
          room.withUnsafeMutableBytes { unpacker.step(input, into: $0, isLast: false) }
        }
        made += room[..<step.made]
        rest = rest.dropFirst(step.used)
        switch step.outcome {
        case .more: try #require(step.used + step.made > 0)
        case .partEnded:
          try #require(rest.isEmpty)
          return made
        case .corrupt, .otherFormat, .failed: return nil
        }
      }
    }
    return nil
  }

  @Test(arguments: UnpackingLibrary.allCases) func `a header may arrive in pieces, cut at any byte`(
    library: UnpackingLibrary
  ) throws {
    let (header, whole) = Self.adorned()
    let wrong = Self.adorned(sumIsRight: false).whole
    for cut in 1..<whole.count {
      #expect(
        try Self.unpacked([whole[..<cut], whole[cut...]], library) == Array("good".utf8), "cut at \(cut)")
      if cut < header.count {
        #expect(try Self.unpacked([wrong[..<cut], wrong[cut...]], library) == nil, "cut at \(cut)")
      }
    }
    let bytes = whole.indices.map { whole[$0...$0] }
    #expect(try Self.unpacked(bytes, library) == Array("good".utf8))
  }

  @Test func `a wrong checksum of the inner layer is found through two layers`() throws {
    let inner = Self.wrong(1_000, 6)
    let twice = PipelineSpec(steps: [.gunzip, .gunzip])
    #expect(
      try Course.run(twice, GzipWriter.member(inner)).cause
        == .corrupt(Corruption(.gzip, offset: Int64(inner.count - 4), text: "incorrect data check")))
    #expect(try Course.run(twice, Self.wrong(1_000, 6)).gzipFault != nil)
  }

  @Test(arguments: UnpackingLibrary.allCases)
  func `a large body with a wrong checksum leaves its partial download whole`(
    library: UnpackingLibrary
  ) throws {
    let workshop = try Workshop()
    var random = SeededGenerator(seed: 11)
    var packed = GzipWriter.member(random.bytes(5_000_000), .stored)
    packed[packed.count - 6] ^= 1
    let (partial, output) = (try workshop.newPartial(), try workshop.staged())
    var spec = gunzip
    spec.library = library
    let course = Course(spec, output: output, partial: partial)
    try course.push(packed, pieces: 100_000)
    guard case .corrupt? = try course.finish().cause else {
      Issue.record("passed")
      return
    }
    // The received bytes are kept unchanged, so that a resume can continue with them.
    #expect(packed.starts(with: try workshop.partialContent()))
  }

  @Test func `empty members do not accumulate in a block`() throws {
    let body = Array(repeatElement(GzipWriter.member([]), count: 5_000).joined())
    let unpacker = Unpacker(Decoding(.gzip, library: .zlib), leavesSums: true)
    var (proof, rest, blocks) = (GzipTrailerCheck(), body[...], 0)
    let block = Block()
    while !rest.isEmpty {
      block.clear()
      rest = rest.dropFirst(try rest.withUnsafeBytes { try unpacker.unpack($0, into: block) })
      #expect(block.memberEnds.count <= 1024)
      try proof.take(block)
      blocks += 1
    }
    try unpacker.finish()
    #expect(blocks == 5)
    #expect(try Course.run(gunzip, body).get().output == identity([]))
    var wrong = body
    wrong[GzipWriter.member([]).count * 4_000 - 1] ^= 1
    #expect(try Course.run(gunzip, wrong).gzipFault == "incorrect length check")
  }

  @Test func `if two layers are wrong, the first error found is reported`() throws {
    var random = SeededGenerator(seed: 12)
    let inner = Self.wrong(1_000, 6) + GzipWriter.member(random.bytes(Block.capacity + 100_000), .stored)
    for pieces in [1_000, 70_000, 600_000] {
      var outer = GzipWriter.member(inner, .stored)
      outer[outer.count - 6] ^= 1
      let course = Course(PipelineSpec(steps: [.gunzip, .gunzip]))
      try course.push(outer, pieces: pieces)
      let cause = try course.finish().cause
      guard case .corrupt(let corruption)? = cause else {
        Issue.record("\(String(describing: cause))")
        continue
      }
      #expect(corruption.offset < 1_100, "\(pieces)")
    }
  }
}
