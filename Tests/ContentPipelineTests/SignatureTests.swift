import SyncModel
import SyncTestSupport
import Testing

@testable import ContentPipeline

@Suite struct `Minisign signatures` {
  private static let key = "RWTrYftPYCau+3ZvdGpOe4ZpghWkVi/v1sBQsqum+q9o4F4wjbS10T5N"

  /// Both are minisign's own, of "one\n".
  private static let prehashed = """
    untrusted comment: signature from minisign secret key
    RUTrYftPYCau+2Waq3cEcN71kkuuPZK+TUYJJ+HeTDN5gDXHpZuOJf+WV2ASQJPZswLqp3HyrUttKqgR7NMoOtihm8MxgtVTNwI=
    trusted comment: timestamp:1700000000 file:one
    K9Nkeky+QwQA1ScX2HW1xqsboPhxpgjRuX3OtG3lKTcQDiVr726GGnDeqLVlz30bgUOdKCt2HEuKGU/Yl5Z1Cg==
    """
  private static let ofBytes = """
    untrusted comment: signature from minisign secret key
    RWTrYftPYCau+zAzX163F1iu2UNR473kwPSQL81B6tGrspzg9hm15j/n4vIhrL0iDgyckbyp9HFp+cXnrzgkAjY+Ck9BUkuV3gg=
    trusted comment: timestamp:1700000000 file:one
    vmhH0Ug5MqDAxe3pPJhmIwH4xOF+t2Ag2IL4yhXdGlFIfThqiSQMiR0ELzuzlKe2qa/Y9YhcncfkVVDHd3JDAQ==
    """

  private let one = Array("one\n".utf8)

  @Test(arguments: [prehashed, ofBytes]) func `are accepted if they are right and refused if they are wrong`(
    text: String
  ) throws {
    let key = try MinisignKey(Self.key)
    let signature = try MinisignSignature(Array(text.utf8))
    try MinisignVerifier.check(signature, by: key)
    try MinisignVerifier.check(signature, of: SignedContent(of: one), by: key)
    for other in [[], one.dropLast(), one + [0]] {
      #expect(throws: MinisignVerifier.FailureOfCheck.signature(.wrongContent)) {
        try MinisignVerifier.check(signature, of: SignedContent(of: Array(other)), by: key)
      }
    }
    var changed = signature
    changed.trustedComment.append(0x20)
    #expect(throws: SignatureFault.wrongComment) { try MinisignVerifier.check(changed, by: key) }
    changed = signature
    changed.keyNumber[0] ^= 1
    #expect(throws: SignatureFault.self) { try MinisignVerifier.check(changed, by: key) }
    changed = signature
    changed.signature[5] ^= 1
    #expect(throws: SignatureFault.wrongComment) { try MinisignVerifier.check(changed, by: key) }
    #expect(throws: MinisignVerifier.FailureOfCheck.signature(.wrongContent)) {
      try MinisignVerifier.check(changed, of: SignedContent(of: one), by: key)
    }
  }

  @Test func `of many bytes cannot be checked directly, but of their digest they can`() throws {
    let key = try MinisignKey(Self.key)
    let size = Int64(SignedContent.mostKept) + 1
    let content = SignedContent(of: [UInt8](repeating: 0, count: Int(size)))
    #expect(content.bytes == nil && content.digest?.count == 64)
    #expect(
      throws: MinisignVerifier.FailureOfCheck.signature(
        .tooLargeToKeep(limit: Int64(SignedContent.mostKept), size: size))
    ) {
      try MinisignVerifier.check(try MinisignSignature(Array(Self.ofBytes.utf8)), of: content, by: key)
    }
  }

  /// The first value is in RFC 7693, appendix A.
  @Test(arguments: [
    (
      "abc",
      "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc95"
        + "18d38aa8dbf1925ab92386edd4009923"
    ),
    (
      "",
      "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee585313896444934eb04b"
        + "903a685b1448b755d56f701afe9be2ce"
    ),
  ])
  func `use BLAKE2b with 64 bytes`(text: String, digest: String) throws {
    #expect(try HexDigest(bytes: #require(SignedContent(of: Array(text.utf8)).digest)).text == digest)
  }

  @Test func `can continue from a copy of the digest state`() throws {
    var a = try #require(Blake2b())
    "ab".utf8.withContiguousStorageIfAvailable { a.update(UnsafeRawBufferPointer($0)) }
    var b = a
    "c".utf8.withContiguousStorageIfAvailable { b.update(UnsafeRawBufferPointer($0)) }
    #expect(a.value == SignedContent(of: Array("ab".utf8)).digest)
    #expect(b.value == SignedContent(of: Array("abc".utf8)).digest)
    #expect(b.value == b.value)
  }

  @Test func `keep no bytes once the digest is enough`() {
    let wish = BytesWish()
    var collector = SignedContentCollector(wish)
    [UInt8](arrayLiteral: 1, 2, 3).withUnsafeBytes { collector.update($0) }
    #expect(collector.content.bytes == [1, 2, 3])
    wish.withdraw()
    [UInt8](arrayLiteral: 4).withUnsafeBytes { collector.update($0) }
    #expect(collector.content.bytes == nil)
    collector.restart()
    wish.renew()
    #expect(collector.content == SignedContent(of: []))
  }

  /// The bytes are those at the step's place, whatever the steps before and after it are.
  @Test func `cover the bytes at the step's place`() throws {
    let body = [UInt8](repeating: 7, count: 3_000_000)
    let packed = try TestData.gzip(body)
    let spec = PipelineSpec(steps: [
      .verifySignature(BytesWish(), step: 0), .gunzip, .verifySignature(BytesWish(), step: 2),
    ])
    let result = try Course.run(spec, packed).get()
    #expect(result.signedContents[0] == SignedContent(of: packed))
    #expect(result.signedContents[2] == SignedContent(of: body))
    #expect(result.lengthIsProvenByContent)
  }
}
