import SyncModel
import Testing

@testable import Transfer

@Suite struct `The request of a hop` {
  let url = "http://a.test/x"

  private func lines(_ request: ExchangeRequest, at hop: String? = nil, mask: SecretMask = SecretMask())
    throws
    -> HopRequest
  {
    let first = try #require(HopURL(request.url))
    let here = try #require(HopURL(hop ?? request.url))
    return try HopRequest(request, at: here, first: first, secrets: mask)
  }

  @Test func `only the coding identity is requested`() throws {
    #expect(try lines(ExchangeRequest(url: url)).lines == ["Accept-Encoding: identity"])
  }

  @Test func `a signed request has the digest of its body, and no line that libcurl would not send`() throws {
    var request = ExchangeRequest(method: .put, url: url, headers: [RequestHeader(name: "X", value: "y")])
    let body = try #require(HexDigest(String(repeating: "a", count: 64), .sha256))
    request.signing = RequestSigning(
      StoreKey(id: "id", secret: "secret", token: "t/+="), region: "r", body: body)
    let sent = try lines(request)
    #expect(
      sent.lines == [
        "Content-Type: application/octet-stream", "x-amz-content-sha256: \(body.text)",
        "x-amz-security-token: t/+=",
      ])
    #expect(!sent.isPlain && sent.signing == request.signing)
    var reading = ExchangeRequest(url: url)
    reading.signing = RequestSigning(StoreKey(id: "id", secret: "secret"), region: "r")
    #expect(try lines(reading).lines.map(\.utf8.count) == ["x-amz-content-sha256: ".utf8.count + 64])
  }

  @Test(arguments: ["", "a\nb", "a b", "\u{e9}"]) func `odd credentials sign nothing`(text: String) {
    var request = ExchangeRequest(url: url)
    for key in [
      StoreKey(id: text, secret: "s"), StoreKey(id: "i", secret: text),
      StoreKey(id: "i", secret: "s", token: text),
    ] {
      request.signing = RequestSigning(key, region: "r")
      #expect(throws: FailureCause.self) { try lines(request) }
    }
  }

  @Test func `both validators are sent, byte for byte`() throws {
    let known = Validators(etag: EntityTag("W/\"a  b\""), lastModified: "sunday ,6", url: url)
    let sent = try lines(ExchangeRequest(url: url, conditions: known))
    #expect(sent.conditions == ["If-None-Match: W/\"a  b\"", "If-Modified-Since: sunday ,6"])
    #expect(sent.lines == ["Accept-Encoding: identity"] + sent.conditions)
  }

  @Test(arguments: [
    ("http://a.test/x", true), ("http://a.test/x?sig=1", true), ("http://a.test/y", true),
    ("http://a.test/y?X-Amz-Signature=2&token=3", true), ("http://a.test/z", false),
    ("http://b.test/y", false),
    ("http://a.test/y?v=1", false), ("https://a.test/y", false), ("http://a.test:81/y", false),
  ]) func `conditions are sent first, and to the recorded resource`(hop: String, isSent: Bool) throws {
    let known = Validators(etag: EntityTag("\"a\""), url: "http://a.test/y?sig=0")
    var request = ExchangeRequest(url: url, conditions: known)
    #expect(try lines(request, at: hop).conditions == (isSent ? ["If-None-Match: \"a\""] : []))
    request.asksRedirector = false
    let isRecorded = hop.hasPrefix("http://a.test/y")
    #expect(try lines(request, at: hop).conditions.isEmpty == !(isSent && isRecorded))
  }

  @Test(arguments: [
    ("http://b.test/d/f", true, true), ("http://b.test/d/f", false, false),
    ("http://b.test/d/g", true, false),
    ("http://a.test:81/d/f", true, false), ("http://c.test/f", true, false),
    ("http://a.test/d/f?sig=5", false, true),
  ]) func `a range is sent to another host's copy only if a digest follows`(
    hop: String, isChecked: Bool, isSent: Bool
  ) throws {
    let resume = ResumePoint(
      offset: 5, total: 10, validator: .etag(EntityTag("\"a\"")), url: "http://a.test/d/f",
      isCheckedByDigest: isChecked)
    let request = ExchangeRequest(url: "http://c.test/f", resume: resume)
    #expect(try lines(request, at: hop).conditions.isEmpty == !isSent)
  }

  @Test func `a date can be sent in If-Range, and a range can be sent without If-Range`() throws {
    var resume = ResumePoint(
      offset: 5, total: 10, validator: .date("Sun, 06 Nov 1994 08:49:37 GMT"), url: url)
    let guarded = try lines(ExchangeRequest(url: url, resume: resume)).conditions
    #expect(guarded == ["Range: bytes=5-", "If-Range: Sun, 06 Nov 1994 08:49:37 GMT"])
    resume.isGuarded = false
    #expect(try lines(ExchangeRequest(url: url, resume: resume)).conditions == ["Range: bytes=5-"])
  }

  @Test func `recorded URLs are compared with their secrets masked`() throws {
    let known = Validators(etag: EntityTag("\"a\""), url: "http://a.test/x?key=***")
    let request = ExchangeRequest(url: "http://a.test/x?key=s3cret", conditions: known)
    #expect(try lines(request, mask: SecretMask(values: ["s3cret"])).conditions == ["If-None-Match: \"a\""])
  }

  @Test func `a range rests on its strong tag and its URL`() throws {
    let resume = ResumePoint(offset: 5, total: 10, etag: EntityTag("\"a\""), url: url)
    let request = ExchangeRequest(url: url, resume: resume)
    #expect(try lines(request).conditions == ["Range: bytes=5-", "If-Range: \"a\""])
    #expect(try lines(request, at: "http://a.test/y").conditions.isEmpty)
  }

  @Test(arguments: ["Range", "if-none-match", "Accept-Encoding", "Transfer-Encoding"])
  func `a header that would change how replies are read is left out`(name: String) throws {
    let request = ExchangeRequest(url: url, headers: [RequestHeader(name: name, value: "x")])
    #expect(try lines(request).lines == ["Accept-Encoding: identity"])
  }

  @Test func `an empty header is sent as an empty header`() throws {
    let request = ExchangeRequest(url: url, headers: [RequestHeader(name: "X-Empty", value: "")])
    #expect(try lines(request).lines.last == "X-Empty;")
  }

  @Test(arguments: [("X", "a\r\nB: c"), ("X", "a\u{0}"), ("X\n", "a"), ("", "a"), ("X Y", "a")])
  func `a header that would become two headers is refused`(name: String, value: String) {
    let request = ExchangeRequest(url: url, headers: [RequestHeader(name: name, value: value)])
    #expect(throws: FailureCause.self) { try lines(request) }
  }

  @Test func `a bearer token with a line end is refused`() {
    #expect(throws: FailureCause.self) {
      try lines(ExchangeRequest(url: url, authentication: .bearer("a\nX: y")))
    }
  }
}
