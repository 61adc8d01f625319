import SyncModel
import Testing

@testable import Planning

/// What the digest fields of a reply cover and prove.
@Suite struct ServerDigestsTests {
  // Of "hello\n", and of nothing.
  static let md5 = "b1946ac92492d2347c6235b4d2611184"
  static let sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
  static let md5Base64 = "sZRqySSS0jR8YjW00mERhA=="
  static let sha256Base64 = "WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM="
  static let emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// A valid value of each field.
  static func value(_ name: DigestField.Name) -> String {
    switch name {
    case .representation, .content: "sha-256=:\(sha256Base64):"
    case .digest: "SHA-256=\(sha256Base64)"
    case .contentMD5: md5Base64
    case .checksumSHA256: sha256
    case .checksumSHA1: "f572d396fae9206628714fb2ce00f72e94f2258f"
    case .checksumMD5: md5
    case .googleHash: "md5=\(md5Base64)"
    case .amazonSHA256: sha256Base64
    case .linkedETag: "\"\(sha256)\""
    case .amazonType: "FULL_OBJECT"
    case .googleStoredEncoding: "identity"
    }
  }

  static func head(_ status: Int, _ fields: [DigestField], encoding: String? = nil) -> ResponseHead {
    var head = ResponseHead(status: status, url: "https://a.example/f", contentEncoding: encoding)
    head.digestFields = fields
    return head
  }

  enum Coverage: Sendable { case file, part, nothing }

  struct Row: Sendable {
    var status: Int
    var isRedirect: Bool
    var covered: [DigestField.Name: Coverage]
  }

  static let digests: [DigestField.Name] = DigestField.Name.allCases.filter {
    $0 != .amazonType && $0 != .googleStoredEncoding
  }
  static let redirected: [DigestField.Name] = [
    .representation, .linkedETag, .checksumSHA256, .checksumSHA1, .checksumMD5,
  ]

  @Test(arguments: [200, 203, 206, 304, 404], [false, true])
  func `each field covers the file, the part or nothing`(status: Int, isRedirect: Bool) {
    for name in Self.digests {
      let field = DigestField(name, Self.value(name), isOfRedirect: isRedirect)
      let read = ServerDigests(Self.head(status, [field]), method: .get)
      let coverage: Coverage =
        if ![200, 203, 206].contains(status) {
          .nothing
        } else if isRedirect {
          Self.redirected.contains(name) ? .file : .nothing
        } else if status == 206 {
          name == .representation ? .file : name == .content || name == .contentMD5 ? .part : .nothing
        } else {
          .file
        }
      #expect(read.ofFile.count == (coverage == .file ? 1 : 0), "\(name) \(status)")
      #expect(read.ofPart.count == (coverage == .part ? 1 : 0), "\(name) \(status)")
      #expect(read.ignored.isEmpty)
    }
  }

  @Test func `a Content-Digest in a reply to HEAD covers nothing`() {
    let fields = [
      DigestField(.content, Self.value(.content)), DigestField(.representation, Self.value(.representation)),
    ]
    let read = ServerDigests(Self.head(200, fields), method: .head)
    #expect(read.ofFile.map(\.field) == [.representation])
    #expect(read.bodyTellsMore)
  }

  @Test func `a digest of the parts' digests does not cover the file`() {
    let fields = [
      DigestField(.amazonSHA256, Self.value(.amazonSHA256)), DigestField(.amazonType, "COMPOSITE"),
    ]
    let read = ServerDigests(Self.head(200, fields), method: .get)
    #expect(read.ofFile.isEmpty)
    #expect(read.ignored == [IgnoredDigest(.amazonSHA256, Self.sha256Base64, .notOfFile)])
  }

  @Test func `Google's hash of a compressed object does not cover the decompressed bytes`() {
    let fields = [
      DigestField(.googleHash, Self.value(.googleHash)), DigestField(.googleStoredEncoding, "gzip"),
    ]
    #expect(ServerDigests(Self.head(200, fields), method: .get).ofFile.isEmpty)
    let packed = Self.head(200, fields, encoding: "gzip")
    #expect(ServerDigests(packed, method: .get).ofFile.count == 1)
  }

  // MARK: Freshness

  static func hex(_ text: String) -> HexDigest {
    guard let digest = HexDigest(hex: text) else { fatalError("no digest: \(text)") }
    return digest
  }

  static let recorded = ContentIdentity(size: 6, digests: [.sha256: hex(sha256), .md5: hex(md5)])
  static let wrongMD5 = "X-Checksum-Md5 of another file"

  @Test func `one equal digest confirms the recorded version`() {
    let read = ServerDigests(
      Self.head(200, [DigestField(.contentMD5, Self.md5Base64)]), method: .get)
    #expect(read.confirming(Self.recorded) == ServerDigest(.contentMD5, .md5, Self.hex(Self.md5)))
    #expect(read.confirming(ContentIdentity(size: 6, sha256: Self.hex(Self.sha256))) == nil)
  }

  @Test func `a second digest that differs prevents the confirmation`() {
    let fields = [
      DigestField(.contentMD5, Self.md5Base64),
      DigestField(.checksumSHA256, Self.emptySHA256),
    ]
    let read = ServerDigests(Self.head(200, fields), method: .get)
    #expect(read.confirming(Self.recorded) == nil)
  }

  // MARK: Bodies

  static func announced(_ fields: [DigestField], status: Int = 200) -> AnnouncedDigests {
    var announced = AnnouncedDigests()
    announced.begin(ServerDigests(head(status, fields), method: .get))
    return announced
  }

  @Test func `only the announced algorithms are computed`() {
    let fields = [DigestField(.contentMD5, Self.md5Base64), DigestField(.digest, "crc32c=AAAA")]
    #expect(Self.announced(fields).algorithms == [.md5])
    #expect(Self.announced([]).algorithms.isEmpty)
  }

  @Test func `if fields contradict each other, the one that differs from the body is named`() {
    let right = DigestField(.representation, Self.value(.representation))
    let wrong = DigestField(.checksumSHA256, Self.emptySHA256)
    for fields in [[right, wrong], [wrong, right]] {
      let judgement = Self.announced(fields).judge(Self.recorded)
      let told = ServerDigest(.checksumSHA256, .sha256, Self.hex(Self.emptySHA256))
      #expect(judgement == .differs(told, actual: Self.hex(Self.sha256)))
    }
    #expect(Self.announced([right]).judge(Self.recorded) == .matches)
  }

  @Test func `a digest that was not computed proves nothing`() {
    let md5Alone = Self.announced([DigestField(.contentMD5, Self.md5Base64)])
    #expect(md5Alone.judge(ContentIdentity(size: 6, sha256: Self.hex(Self.sha256))) == .unknown)
  }

  @Test func `a digest in the first reply is checked when the second reply completes the body`() {
    var announced = Self.announced([DigestField(.contentMD5, Self.md5Base64)])
    let part = [
      DigestField(.content, "sha-256=:\(Self.sha256Base64):"), DigestField(.checksumMD5, Self.md5),
    ]
    announced.goOn(ServerDigests(Self.head(206, part), method: .get))
    #expect(announced.algorithms == [.md5])
    #expect(announced.partAlgorithms == [.sha256])
    #expect(announced.judge(Self.recorded, part: [.sha256: Self.hex(Self.sha256)]) == .matches)
    let other = Self.hex(Self.emptySHA256)
    #expect(
      announced.judge(Self.recorded, part: [.sha256: other])
        == .differs(ServerDigest(.content, .sha256, Self.hex(Self.sha256)), actual: other))
  }
}
