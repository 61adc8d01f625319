import SyncModel
import Testing

@Suite struct `A minisign key` {
  private static let key = "RWTrYftPYCau+3ZvdGpOe4ZpghWkVi/v1sBQsqum+q9o4F4wjbS10T5N"

  @Test func `has a number, which is shown as minisign shows it`() throws {
    let key = try MinisignKey(Self.key)
    #expect(key.shownNumber == "FBAE26604FFB61EB")
    #expect(key.bytes.count == 32)
    #expect(key.text == Self.key)
  }

  @Test(
    arguments: [
      ("", .wrongLength(actual: 0)), ("RW", .notBase64), ("RWTrYftPYCau", .wrongLength(actual: 9)),
      ("AATrYftPYCau+3ZvdGpOe4ZpghWkVi/v1sBQsqum+q9o4F4wjbS10T5N", .wrongAlgorithm),
      ("RUTrYftPYCau+3ZvdGpOe4ZpghWkVi/v1sBQsqum+q9o4F4wjbS10T5N", .wrongAlgorithm),
      (" RWTrYftPYCau+3ZvdGpOe4ZpghWkVi/v1sBQsqum+q9o4F4wjbS10T5N", .notBase64),
    ] as [(String, MinisignKey.Fault)])
  func `is refused`(text: String, fault: MinisignKey.Fault) {
    #expect(throws: fault) { try MinisignKey(text) }
  }

  @Test func `has a signature beside each file, but none for a URL with a query`() {
    #expect(SourceURL.web("https://h/a").minisignature == .web("https://h/a.minisig"))
    #expect(SourceURL.web("https://h/a?b").minisignature == nil)
    #expect(
      SourceURL.file(path: "/d/a b", written: "file:///d/a%20b").minisignature
        == .file(path: "/d/a b.minisig", written: "file:///d/a%20b.minisig"))
  }
}

@Suite struct `A minisign signature file` {
  private static let lines = [
    "untrusted comment: signature from minisign secret key",
    "RUTrYftPYCau+2Waq3cEcN71kkuuPZK+TUYJJ+HeTDN5gDXHpZuOJf+WV2ASQJPZswLqp3HyrUttKqgR7NMoOtihm8MxgtVTNwI=",
    "trusted comment: timestamp:1700000000 file:one",
    "K9Nkeky+QwQA1ScX2HW1xqsboPhxpgjRuX3OtG3lKTcQDiVr726GGnDeqLVlz30bgUOdKCt2HEuKGU/Yl5Z1Cg==",
  ]

  private func read(_ change: (inout [String]) -> Void = { _ in }, end: String = "\n") throws(SignatureFault)
    -> MinisignSignature
  {
    var lines = Self.lines
    change(&lines)
    return try MinisignSignature(Array(lines.map { $0 + end }.joined().utf8))
  }

  @Test(arguments: ["\n", "\r\n"]) func `is read`(end: String) throws {
    let signature = try read(end: end)
    #expect(signature.isPrehashed)
    #expect(signature.shownKeyNumber == "FBAE26604FFB61EB")
    #expect(signature.trustedComment == Array("timestamp:1700000000 file:one".utf8))
    #expect(signature.signature.count == 64 && signature.commentSignature.count == 64)
  }

  @Test func `may cover the file itself`() throws {
    #expect(try read { $0[1] = "RW" + $0[1].dropFirst(2) }.isPrehashed == false)
  }

  @Test func `is refused if a line is missing or wrong`() {
    #expect(throws: SignatureFault.notMinisign) { try read { $0[0] = "comment" } }
    #expect(throws: SignatureFault.notMinisign) { try MinisignSignature([]) }
    #expect(throws: SignatureFault.unreadableLine(number: 2)) { try read { $0[1] = "RUTrYftPYCau" } }
    #expect(throws: SignatureFault.unreadableLine(number: 2)) {
      try read { $0[1] = "AA" + $0[1].dropFirst(2) }
    }
    #expect(throws: SignatureFault.unreadableLine(number: 2)) { try read { $0.removeLast(3) } }
    #expect(throws: SignatureFault.noTrustedComment) { try read { $0.removeLast(2) } }
    #expect(throws: SignatureFault.noTrustedComment) { try read { $0[2] = "trusted: x" } }
    #expect(throws: SignatureFault.unreadableLine(number: 4)) { try read { $0.removeLast() } }
    #expect(throws: SignatureFault.unreadableLine(number: 4)) { try read { $0[3].removeLast(4) } }
    #expect(throws: SignatureFault.unreadableLine(number: 5)) { try read { $0.append("more") } }
    #expect(throws: SignatureFault.tooLarge(limit: MinisignSignature.longest)) {
      try read { $0[2] += String(repeating: "x", count: MinisignSignature.longest) }
    }
  }
}
