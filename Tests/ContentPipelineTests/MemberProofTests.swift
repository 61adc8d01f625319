import SyncModel
import Testing

@testable import ContentPipeline

/// The sums in gzip's trailers, which another thread than zlib's holds against what was unpacked.
@Suite struct MemberProofTests {
  private let gunzip = PipelineSpec(steps: [.gunzip])
  private static let good = GzipWriter.member(Array("good".utf8))

  /// A member of `size` bytes whose trailer is wrong in the byte at `place`, counted from its end.
  private static func wrong(_ size: Int = 40, _ place: Int) -> [UInt8] {
    var member = GzipWriter.member((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
    member[member.count - 1 - place] ^= 4
    return member
  }

  @Test(arguments: [40, Block.capacity, 1_200_000]) func `a wrong sum is an error with its place`(size: Int)
    throws
  {
    for (place, text, back) in [(7, "incorrect data check", 4), (0, "incorrect length check", 0)] {
      let body = Self.good + Self.wrong(size, place)
      #expect(
        try Course.run(gunzip, body + Self.good).cause
          == .gzipCorrupt(offset: Int64(body.count - back), text: text))
      #expect(
        try Course.run(gunzip, body).cause == .gzipCorrupt(offset: Int64(body.count - back), text: text))
    }
  }

  @Test(arguments: [40, 600_000]) func `a wrong sum is reported before what is wrong behind it`(
    size: Int
  ) throws {
    let member = Self.wrong(size, 5)
    let expected = FailureCause.gzipCorrupt(offset: Int64(member.count - 4), text: "incorrect data check")
    for rest in [Array("no gzip".utf8), Array(Self.good.dropLast()), [0x1f, 0x8b, 9], Self.wrong(40, 0)] {
      #expect(try Course.run(gunzip, member + rest).cause == expected)
    }
  }

  @Test func `a wrong sum in a header is found, too`() throws {
    // RFC 1952 section 2.3: this flag promises two bytes of a sum over the header.
    var member = GzipWriter.member(Array("good".utf8))
    member[3] |= 2
    member.insert(contentsOf: [0, 0], at: 10)
    #expect(try Course.run(gunzip, Self.good + member).gzipFault != nil)
  }

  @Test func `a wrong sum of the inner layer is found through two layers`() throws {
    let inner = Self.wrong(1_000, 6)
    let twice = PipelineSpec(steps: [.gunzip, .gunzip])
    #expect(
      try Course.run(twice, GzipWriter.member(inner)).cause
        == .gzipCorrupt(offset: Int64(inner.count - 4), text: "incorrect data check"))
    #expect(try Course.run(twice, Self.wrong(1_000, 6)).gzipFault != nil)
  }

  @Test(arguments: UnpackingLibrary.allCases) func `a large body with a wrong sum leaves its partial whole`(
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
    guard case .gzipCorrupt? = try course.finish().cause else {
      Issue.record("passed")
      return
    }
    // What came is kept as it came, so that a resume can go on with it.
    #expect(packed.starts(with: try workshop.partialContent()))
  }

  @Test func `members of nothing do not pile up in a block`() throws {
    let body = Array(repeatElement(GzipWriter.member([]), count: 5_000).joined())
    let inflater = Inflater(.zlib, leavesSums: true)
    var (proof, rest, blocks) = (MemberProof(), body[...], 0)
    let block = Block()
    while !rest.isEmpty {
      block.clear()
      rest = rest.dropFirst(try rest.withUnsafeBytes { try inflater.unpack($0, into: block) })
      #expect(block.memberEnds.count <= 1024)
      try proof.take(block)
      blocks += 1
    }
    try inflater.finish()
    #expect(blocks == 5)
    #expect(try Course.run(gunzip, body).get().output == identity([]))
    var wrong = body
    wrong[GzipWriter.member([]).count * 4_000 - 1] ^= 1
    #expect(try Course.run(gunzip, wrong).gzipFault == "incorrect length check")
  }

  @Test func `of two layers that are wrong the one is reported that was found first`() throws {
    var random = SeededGenerator(seed: 12)
    let inner = Self.wrong(1_000, 6) + GzipWriter.member(random.bytes(Block.capacity + 100_000), .stored)
    for pieces in [1_000, 70_000, 600_000] {
      var outer = GzipWriter.member(inner, .stored)
      outer[outer.count - 6] ^= 1
      let course = Course(PipelineSpec(steps: [.gunzip, .gunzip]))
      try course.push(outer, pieces: pieces)
      let cause = try course.finish().cause
      guard case .gzipCorrupt(let offset, _)? = cause else {
        Issue.record("\(String(describing: cause))")
        continue
      }
      #expect(offset < 1_100, "\(pieces)")
    }
  }
}
