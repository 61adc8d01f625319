import SyncModel
import Testing

@testable import Transfer

@Suite struct `The target of a redirect` {
  @Test(arguments: [
    ("http://a.test/x/y", "z", "http://a.test/x/z"),
    ("http://a.test/x/y", "/z", "http://a.test/z"),
    ("http://a.test/x/y?q=1", "?r=2", "http://a.test/x/y?r=2"),
    ("http://a.test/x", "//b.test/y", "http://b.test/y"),
    ("http://a.test/x", "https://b.test:8443/y#part", "https://b.test:8443/y"),
    ("http://a.test/x", "HTTP://B.test/y", "http://B.test/y"),
    ("http://a.test/x", "http://user:word@b.test/y", "http://b.test/y"),
    ("http://user@a.test/x", "/y", "http://a.test/y"),
    ("http://a.test/x", "/a b", "http://a.test/a%20b"),
    ("http://a.test/x", "../../y", "http://a.test/y"),
    ("http://[::1]:81/x", "/y", "http://[::1]:81/y"),
  ]) func `a location is resolved as RFC 3986 says`(base: String, location: String, expected: String?) throws
  {
    guard let expected else { return }
    let next = try #require(HopURL(base)).following(location)
    #expect(try next.get().text == expected)
  }

  @Test(arguments: [
    ("http://a.test/", "ftp://a.test/x", RedirectFault.scheme),
    ("http://a.test/", "file:///etc/passwd", .scheme),
    ("http://a.test/", "mailto:x@a.test", .scheme),
    ("http://a.test/", "javascript:alert(1)", .scheme),
    ("https://a.test/", "http://a.test/", .downgrade),
    ("https://a.test/", "HTTP://b.test/", .downgrade),
    ("http://a.test/", "", .location),
    ("http://a.test/", "http://a.test:99999/", .location),
    ("http://a.test/", "http://", .location),
    ("http://a.test/", "http://a.test/\u{1}", .location),
    ("http://a.test/", "http://[::1/", .location),
  ]) func `what must not be followed is refused`(base: String, location: String, fault: RedirectFault) throws
  {
    let next = try #require(HopURL(base)).following(location)
    #expect(next == .failure(fault))
  }

  @Test(arguments: ["", "x", "/x", "file:///x", "ftp://a.test/", "http://", "http://a.test:0x50/", "://a"])
  func `only absolute web URLs are taken`(text: String) {
    #expect(HopURL(text) == nil)
  }

  @Test func `the text stays as it was written and the origin has the port`() throws {
    let url = try #require(HopURL("https://Ex.Test/a?b#c"))
    #expect(url.text == "https://Ex.Test/a?b#c")
    #expect(url.wire == "https://Ex.Test/a?b")
    #expect(url.origin == WebOrigin(scheme: "https", host: "ex.test", port: 443))
  }
}

@Suite struct PlainURLTests {
  @Test(arguments: [
    "http://a.test/", "https://a.test/x/y.tar.gz", "http://127.0.0.1:8080/f000001",
    "http://a-b.test:443/~u/_x",
    "https://a.test:443/x", "http://a.test:80/", "http://localhost/a..b/c.", "http://1.2.3.x4/",
  ]) func `a plain URL is read as libcurl reads it`(text: String) throws {
    let plain = try #require(WebURL.plainOrigin(of: text))
    try CurlLibrary.load()
    let parsed = try #require(HopURL(parsing: text))
    #expect(parsed.wire == text)
    #expect(parsed.origin == plain)
    #expect(HopURL(text) == parsed)
  }

  @Test func `a URL is read alike alone and after another URL of its server`() throws {
    try CurlLibrary.load()
    let texts = [
      "http://a.test/x", "http://a.test/y/z.gz", "http://a.test/", "http://a.test/a b", "http://a.test/../x",
      "http://a.test", "http://a.test:80/x", "https://a.test/x", "http://a.tester/x", "http://b.test/x",
      "http://a.test/x?q", "http://A.test/x", "http://u@a.test/x", "ftp://a.test/x", "http://a.test//x", "",
    ]
    for first in texts {
      for second in texts {
        #expect(HopURL(second, after: HopURL(first)) == HopURL(second), "\(second) after \(first)")
      }
    }
  }

  @Test(arguments: [
    "http://a.test", "HTTP://a.test/", "http://A.test/", "http://u@a.test/", "http://u:p@a.test/",
    "ftp://a.test/",
    "http://a.test/../x", "http://a.test/x/./y", "http://a.test/.x", "http://a.test/a b", "http://a.test/%41",
    "http://a.test/?q", "http://a.test/#f", "http://127.1/", "http://0127.0.0.1/", "http://127.0.0.256/",
    "http://2130706433/", "http://0x7f.0.0.1/", "http://[::1]/", "http://a.test:/", "http://a.test:0/",
    "http://a.test:080/", "http://a.test:65536/", "http://a..test/", "http://a.test./", "http:///x",
    "http://\u{e9}.test/", "http://a.test/\u{e9}", "http://a.0x7f/", "http://a_b.test/",
  ]) func `any other URL is left to libcurl`(text: String) {
    let isPlain = WebURL.plainOrigin(of: text) != nil
    #expect(!isPlain)
  }
}
