import Foundation
import LocalFiles
import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

@Suite struct GunzipTests {
  private let gunzip = PipelineSpec(steps: [.gunzip])

  private static let text = Array(String(repeating: "The quick brown fox. ", count: 9).utf8)

  /// Made by `gzip -9n`, with dynamic Huffman codes.
  private static let dynamic: [UInt8] = Array(
    Data(
      base64Encoded:
        """
        H4sIAAAAAAACA3XZMW5cMQwE0D6n2CN8USIpHsgBAjhxERc5fpA2eG6Fv1qKGs4Mqfcfv95ez+vj++v3x8+31+fbn89v\
        7//WFtYO1ka/LSxGYnHry6M9S39+FeV6eJ7gt+cwfp5qeCyeK5LfXu274zAzvAGe7Rx+e7VvhmLIVrzFsxW/be7bjOEy\
        3uHZxnloXdAKrbYCi3OV9MULGu17SjEkAVWxlZznMGXa97ZimGTSifQK4pRVmUaZD0zk8NvmvpcxDOMdZSweHmLphs/W\
        TSQDK9JAD2G6tC+xu66h18y5vk3yXpN2byqwlVwkac0wMJLLMLDDa+e3LKoIYWGzsHMrY8VDXGKMWAhez75FNBH8m7gh\
        dhdXg2R6iiRN4Fyi/2gxNkkvDHMiby3inH9GwuG3tSkpm6aB1N8kBmpzP2QhgmHx2jfVMockH6Shy6pMijsVhQTL2wmy\
        +bmUL1blFNFEd3Ca4dKpTbMsSUNnrD5kEcoiuSm5wTWXPptg4AUTu7N44McXRN5NUqG23XRkRTjNw6qidcrnUkLpr5nI\
        wzT0Q52ge9vOue5nKB7BCsxmCVPcg4lM3vulCq9hDEz6PfTB9C1JKrukgaBBT2bymrWCp6DoD6ETpIxiHqaKeGBVkP4p\
        rYcs3W1NYFVwh0uWjbYI0kNSRR9yA/O42GUkG/LhXW7yaZsjaSZy2S2ytpf7KlaQa9BiEyZJypV70aY+X1YmNYy99zVB\
        uXsfOv/NwGz9GRcJIznD4EX0ZsIYbRFk5NhkYFPuAukh2VDs4y7QF0H0e0REh1CU50VGL+5AIkvej3s41xRdBzsaus3j\
        Jp/3cAjyYaWesHeiSyKYhtpxtuMlw7JjnGPLS9/hJoHzIaYs2cNRknI8HqUqHvI2J1RtvSbw2pUW9kOs4OXxEMnNlcZF\
        9nuLRqLtg20LPePlRHk8Z6NYLop7MWXhMQx32LziSdsD5ow4bY/qGMNlURxPn4lemq+gqbseeZKNSfLlvpdAv+2ulZaM\
        VNYeR5EFxjNEpixsvky9aYwwXLbe5IahcyqGEBzwXJZVMg3Bgr9k/2NDxQFr+83AvR0HKc2u6Ng8kYq6PFVjDMs87Yu3\
        sSTx+cGKDm4RkveLZwfPEQlJoq+MSeaBTwn9+IXOsw0C9bGR5UjKpojNd6WHT7Q0DoxET/cT5Wc7j1M9f2bKLKQkySKm\
        97XT8TMJhdTiaPw/nqRwZsLuYVO2l4cF5YEdZYGcvKiDQ/wX6/XwTT5oB0xxHFtm+U2Sb2kenT7uh3kIEnXwwHztuTaS\
        Hh198SDhVp/OwS8EFBvK4PYjuR+n/ofTX6/LwHEuIgAA
        """) ?? Data())

  @Test func `data with dynamic Huffman codes are unpacked`() throws {
    let expected = (0..<400).map { "line \($0 * $0 % 977) of some text\n" }.joined()
    let result = try Course.run(gunzip, Self.dynamic).get()
    #expect(result.output == identity(Array(expected.utf8)))
    #expect(result.download == identity(Self.dynamic))
    #expect(result.lengthIsProvenByContent)
  }

  @Test func `every member is unpacked, and zeros may follow the last member`() throws {
    let a = GzipWriter.member(Self.text)
    let b = GzipWriter.member([], name: "empty")
    let c = GzipWriter.member(Array("end".utf8), .stored, name: "end.txt")
    for padding in [0, 1, 511, Block.capacity + 50_000] {
      let packed = a + b + c + [UInt8](repeating: 0, count: padding)
      let result = try Course.run(gunzip, packed).get()
      #expect(result.output == identity(Self.text + Array("end".utf8)))
      #expect(result.download == identity(packed))
    }
  }

  @Test func `ten thousand members are unpacked`() throws {
    let member = GzipWriter.member([65])
    let packed = Array(repeatElement(member, count: 10_000).joined())
    let result = try Course.run(gunzip, packed).get()
    #expect(result.output == identity([UInt8](repeating: 65, count: 10_000)))
  }

  @Test func `anything but zeros after the last member is an error with its offset`() throws {
    let member = GzipWriter.member(Self.text)
    let size = Int64(member.count)
    for (tail, offset) in [("x", 0), ("\0\0x", 2), ("\0\u{1f}", 1)] {
      #expect(
        try Course.run(gunzip, member + Array(tail.utf8)).cause
          == .corrupt(
            Corruption(.gzip, offset: size + Int64(offset), text: "unexpected data after the last member")))
    }
    #expect(
      try Course.run(gunzip, member + [0x1f, 0x8c, 1]).gzipFault == "unexpected data after the last member")
  }

  @Test(arguments: ["<!DOCTYPE html><title>404</title>", "\u{1f}no", "\0", "PK\u{3}\u{4}"])
  func `data that are not gzip are reported as such`(text: String) throws {
    #expect(try Course.run(gunzip, Array(text.utf8)).gzipFault == "not gzip data")
  }

  @Test func `a web page instead of gzip fails before all of its bytes have arrived`() throws {
    let course = Course(gunzip)
    try course.push([UInt8](repeating: 0x3c, count: Block.capacity + 50_000))
    #expect(
      try course.log.waitForEnd().cause == .corrupt(Corruption(.gzip, offset: 0, text: "not gzip data")))
  }

  @Test func `one of several layers that is not there is named by its step`() throws {
    let twice = PipelineSpec(steps: [.gunzip, .verifySize(Int64(Self.text.count), step: 1), .gunzip])
    #expect(try Course.run(twice, GzipWriter.member(Self.text)).corruption?.step == 2)
    #expect(try Course.run(twice, Self.text).corruption?.step == 0)
    #expect(try Course.run(gunzip, Self.text).corruption?.step == nil)
  }

  @Test func `an empty body is not gzip data`() throws {
    #expect(try Course.run(gunzip, []).gzipFault != nil)
  }

  @Test(arguments: [GzipWriter.Packing.stored, .fixed])
  func `data cut off at any byte are reported as ending inside a member`(
    packing: GzipWriter.Packing
  ) throws {
    let pool = WorkerPool(threads: 1)
    defer { pool.shutDown() }
    let packed = GzipWriter.member(Self.text, packing, name: "fox")
    for size in 1..<packed.count {
      let result = try Course.run(gunzip, Array(packed.prefix(size)), pool: pool)
      #expect(
        result.cause
          == .corrupt(
            Corruption(.gzip, offset: Int64(size), text: Compression.gzip.endsInside, isCutShort: true)),
        "cut at \(size)")
    }
  }

  @Test(arguments: [GzipWriter.Packing.stored, .fixed]) func `a wrong byte anywhere never gives wrong output`(
    packing: GzipWriter.Packing
  ) throws {
    let pool = WorkerPool(threads: 1)
    defer { pool.shutDown() }
    let packed = GzipWriter.member(Self.text, packing, name: "fox")
    var failures = 0
    for index in packed.indices {
      for flip: UInt8 in [1, 0x10, 0x80, 0xff] {
        var wrong = packed
        wrong[index] ^= flip
        switch try Course.run(gunzip, wrong, pool: pool) {
        // The name, the time and the operating system may differ.
        case .success(let result): #expect(result.output == identity(Self.text), "byte \(index)")
        case .failure(.corrupt): failures += 1
        case .failure(let other): Issue.record("byte \(index): \(other)")
        }
      }
    }
    #expect(failures > packed.count)
  }

  /// ISA-L reports more input as used than there is, if this comes close to the end of a piece.
  @Test(arguments: UnpackingLibrary.allCases)
  func `a distance too far back is reported with its offset`(_ library: UnpackingLibrary) throws {
    let packed = try #require(
      Data(base64Encoded: "H4sIAAIAAAACA8tIzcnJVyjPL8pJ4coYAUnhyhgBbAAAAAAA8AAAAA==").map(Array.init))
    // In smaller pieces ISA-L may hold bytes of the piece before.
    for size in 8...packed.count {
      let unpacker = Unpacker(Decoding(.gzip, library: library))
      let block = Block()
      let fault = #expect(throws: FailureCause.self) {
        for start in stride(from: 0, to: packed.count, by: size) {
          let piece = packed[start..<min(start + size, packed.count)]
          _ = try piece.withUnsafeBytes { bytes throws(FailureCause) in
            try unpacker.unpack(bytes, into: block)
          }
        }
      }
      let expected = Corruption(.gzip, offset: 27, text: "invalid distance too far back")
      #expect(fault == .corrupt(expected), "in pieces of \(size)")
      // The match that goes too far back is not written.
      #expect(Array("hello world\nh".utf8).starts(with: block.bytes), "in pieces of \(size)")
    }
  }

  @Test func `pieces of any size give the same output`() throws {
    var random = SeededGenerator(seed: 5)
    let body = (0..<40).flatMap { _ in
      Bool.random(using: &random) ? random.bytes(20_000) : [UInt8](repeating: 1, count: 60_000)
    }
    let packed =
      GzipWriter.member(Array(body.prefix(500_000)), .stored)
      + GzipWriter.member(Array(body.dropFirst(500_000)))
    let pool = WorkerPool(threads: 2)
    defer { pool.shutDown() }
    for largest in [1_000, 70_000, 400_000] {
      let workshop = try Workshop()
      let output = try workshop.staged()
      let course = Course(gunzip, output: output, pool: pool)
      var rest = packed[...]
      while !rest.isEmpty {
        let size = Int.random(in: 0...largest, using: &random)
        try course.push(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(try course.finish().get().output == identity(body))
      #expect(try workshop.content(output) == body)
    }
  }

  @Test func `each step sees the bytes at its place, through two layers of gzip`() throws {
    var random = SeededGenerator(seed: 6)
    let inner = random.bytes(1_400_000)
    let middle = GzipWriter.member(inner, .stored)
    let outer = GzipWriter.member(middle, .stored)
    func steps(_ a: [UInt8], _ b: [UInt8], _ c: [UInt8]) -> [PipelineSpec.Stage] {
      [
        .verifyDigest(.md5, digest(a, .md5), step: 0), .gunzip,
        .verifyDigest(.sha1, digest(b, .sha1), step: 2), .verifySize(Int64(middle.count), step: 3), .gunzip,
        .verifyDigest(.sha512, digest(c, .sha512), step: 5),
      ]
    }
    func run(_ steps: [PipelineSpec.Stage]) throws -> Result<PipelineResult, FailureCause> {
      let course = Course(PipelineSpec(steps: steps, outputDigests: [.md5]))
      try course.push(outer, pieces: 90_000)
      return try course.finish()
    }
    let result = try run(steps(outer, middle, inner)).get()
    #expect(result.download == identity(outer, [.md5]))
    #expect(result.output == identity(inner, [.md5, .sha512]))
    for (wrong, step) in [
      (steps(inner, inner, outer), 0), (steps(outer, inner, outer), 2), (steps(outer, middle, outer), 5),
    ] {
      guard case .digestMismatch(_, _, _, let place)? = try run(wrong).cause else {
        Issue.record("step \(step) passed")
        continue
      }
      #expect(place == step)
    }
  }

  @Test func `a gzip bomb is stopped at the limit`() throws {
    let workshop = try Workshop()
    let bomb = GzipWriter.zeros(millions: 200)
    #expect(bomb.count < 2_100_000)
    let output = try workshop.staged()
    let course = Course(PipelineSpec(steps: [.gunzip], maxSize: 20_000_000), output: output)
    try course.push(bomb, pieces: 16_384)
    guard case .tooLarge(limit: 20_000_000, let size)? = try course.finish().cause else {
      Issue.record("passed")
      return
    }
    #expect(size > 20_000_000 && size <= 20_000_000 + Int64(Block.capacity))
    // Bytes that are not written yet when the limit is reached are dropped.
    #expect(output.size <= 20_000_000 && output.size > 10_000_000)
  }

  @Test func `the raw bytes go to the partial download, the unpacked bytes to the output`() throws {
    let workshop = try Workshop()
    let packed = GzipWriter.member(Self.text)
    let partial = try workshop.newPartial()
    let output = try workshop.staged()
    let course = Course(gunzip, output: output, partial: partial)
    try course.push(packed)
    #expect(try course.finish().cause == nil)
    #expect(try workshop.partialContent() == packed)
    #expect(try workshop.content(output) == Self.text)
  }
}
