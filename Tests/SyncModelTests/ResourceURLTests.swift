import SyncModel
import Testing

@Suite struct `What a resource is` {
  @Test(arguments: [
    // A GitHub release asset.
    (
      "https://release-assets.githubusercontent.com/github-production-release-asset/1/2?sp=r&sv=2018-11-09&sr=b"
        + "&spr=https&se=2026-01-01T00%3A00%3A00Z&rscd=attachment%3B+filename%3Da.tgz&rsct=application%2Foctet-stream"
        + "&skoid=96&sktid=39&skt=2026&ske=2026&sks=b&skv=2018-11-09&sig=AbC%3D&jwt=ey.J0&response-content-disposition=a"
        + "&response-content-type=b",
      "https://release-assets.githubusercontent.com/github-production-release-asset/1/2"
    ),
    // Hugging Face.
    (
      "https://cas-bridge.xethub.hf.co/xet-bridge-us/6/7?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=1"
        + "&X-Amz-Signature=f&X-Xet-Cas-Uid=public&x-id=GetObject&Expires=1&Policy=P&Signature=S&Key-Pair-Id=K",
      "https://cas-bridge.xethub.hf.co/xet-bridge-us/6/7?x-id=GetObject"
    ),
    ("https://b.s3.example/k?AWSAccessKeyId=A&Signature=S&Expires=1", "https://b.s3.example/k"),
    (
      "https://storage.example/o?X-Goog-Signature=s&X-Goog-Date=d&GoogleAccessId=i",
      "https://storage.example/o"
    ),
    ("https://h/f?token=t&v=2&hmac=h#part", "https://h/f?v=2#part"),
    ("https://h/f?v=2&token", "https://h/f?v=2"),
    ("https://h/f?SIG=1&x%2Damz%2Ddate=2&X-AMZ-Foo=3&b=4", "https://h/f?b=4"),
    ("HTTP://h/f?sig=1", "HTTP://h/f"),
    ("https://h/f?a=1&sig=2&&c=%26sig", "https://h/f?a=1&&c=%26sig"),
  ]) func `the signature in a URL is not part of the resource`(url: String, resource: String) {
    #expect(ResourceURL.text(of: url) == resource)
    #expect(Validators(url: url).url == resource)
    #expect(SourceURL.web(url).shown == resource)
  }

  @Test(arguments: [
    "", "https://h/f", "https://h/f?", "https://h/f?a=sig&signature2=1", "https://h/f?mysig=1&x-amzn=2&s=3",
    "https://h/sig=1", "https://h/f#?sig=1", "data/f?sig=1", "file:///f?sig=1", "time:",
    "https://h/f?%73=1&%=2",
  ]) func `everything else is part of it`(url: String) {
    #expect(ResourceURL.text(of: url) == url)
  }

  @Test func `a relative reference also loses its signature`() {
    #expect(SigningParameters.removed(from: "/b?X-Amz-Signature=1&v=2") == "/b?v=2")
    #expect(SigningParameters.removed(from: "?sig=1") == "")
  }

  @Test(arguments: [
    ("https://a/d/f", "https://b/e/f?v=1", true), ("https://a/f", "http://b:81/f", true),
    ("https://a/f%31", "https://b/f1", true), ("https://a/f", "https://a:81/f", false),
    ("https://a/f", "https://A/f", false), ("https://a/f", "https://b/g", false),
    ("https://a/", "https://b/", false),
    ("https://127.0.0.1/f", "https://localhost/f", true), ("f", "https://b/f", false),
  ]) func `copies have the same file name on another host`(a: String, b: String, are: Bool) {
    #expect(ResourceURL.mayBeCopies(a, b) == are)
    #expect(ResourceURL.mayBeCopies(b, a) == are)
  }
}

@Suite struct `A header's bytes as text` {
  @Test(
    arguments: [
      [], [0x22, 0x61, 0x22], [0x22, 0xE9, 0x22], [0x22, 0xC3, 0xA9, 0x22], [0xFF, 0xFE, 0x80],
      [0xF4, 0x8F, 0xBF, 0xA9],
      [0xF4, 0x8F, 0xBF], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xEF, 0xBF, 0xBD],
      [0xF0, 0x9F, 0x98, 0x80, 0xF0],
      [0xE2, 0x82, 0xAC, 0xE2, 0x82],
    ] as [[UInt8]]) func `all bytes are kept`(bytes: [UInt8])
  {
    #expect(HeaderText.bytes(HeaderText.text(bytes)) == bytes)
  }

  @Test func `different values have different texts`() {
    var random = SystemRandomNumberGenerator()
    var texts: [String: [UInt8]] = [:]
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...5, using: &random)
      let bytes = (0..<length).map { _ in
        [0x61, 0xC3, 0xA9, 0xE9, 0xF4, 0x8F, 0xBF, 0xBE, 0x80, 0xCC, 0x81].randomElement(using: &random)
          ?? UInt8(0x61)
      }
      let text = HeaderText.text(bytes)
      #expect(HeaderText.bytes(text) == bytes)
      let key = text.utf8.map { String($0) }.joined(separator: " ")
      #expect(texts[key].map { $0 == bytes } ?? true)
      texts[key] = bytes
    }
  }

  @Test func `UTF-8 text is unchanged`() {
    #expect(HeaderText.text(Array("\"é\u{301}\"".utf8)).utf8.elementsEqual("\"é\u{301}\"".utf8))
    #expect(HeaderText.isPlain("\"é\""))
    #expect(!HeaderText.isPlain(HeaderText.text([0xE9])))
  }
}

@Suite struct `The validator of a range request` {
  private let now = Timestamp(seconds: 1_700_000_000)

  @Test(
    arguments: [
      ("\"a\"", nil, nil, StrongValidator.etag(EntityTag("\"a\""))), ("W/\"a\"", nil, nil, nil),
      // A date is strong if the file had stayed as it is for a minute when the reply was made.
      (
        nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:37 GMT",
        .date("Sun, 06 Nov 1994 08:49:37 GMT")
      ),
      (nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:36 GMT", nil),
      (
        nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 09:49:37 GMT",
        .date("Sun, 06 Nov 1994 08:49:37 GMT")
      ),
      (nil, "Sun, 06 Nov 1994 08:49:37 GMT", nil, nil), (nil, "Sun, 06 Nov 1994 08:49:37 GMT", "now", nil),
      (nil, "yesterday", "Sun, 06 Nov 1994 08:50:37 GMT", nil),
      (nil, nil, "Sun, 06 Nov 1994 08:50:37 GMT", nil),
      // If there is an ETag, a date is not used (RFC 9110, section 13.1.5).
      ("W/\"a\"", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 09:50:37 GMT", nil),
    ] as [(String?, String?, String?, StrongValidator?)]) func `is strong`(
      etag: String?, modified: String?, sent: String?, expected: StrongValidator?
    )
  {
    let found = StrongValidator(
      etag: etag.map { EntityTag($0) }, lastModified: modified, sent: sent, now: now)
    #expect(found == expected)
  }
}
