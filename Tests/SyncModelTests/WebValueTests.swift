import SyncModel
import Testing

@Suite struct `A web URL` {
  @Test(arguments: [
    ("https://example.org", "https", "example.org", 443, "/"),
    ("HTTP://Example.ORG:8080/a/b?c#d", "http", "example.org", 8080, "/a/b"),
    ("https://[2001:DB8::1]:444/x", "https", "[2001:db8::1]", 444, "/x"),
    ("https://[::ffff:1.2.3.4]/", "https", "[::ffff:1.2.3.4]", 443, "/"),
    ("https://[fe80::1%25eth0]/", "https", "[fe80::1]", 443, "/"),
    ("https://ex%41mple.org/", "https", "example.org", 443, "/"),
    ("http://example.org:/x", "http", "example.org", 80, "/x"),
    ("https://example.org?x=/y", "https", "example.org", 443, "/"),
    ("https://example.org/\u{301}/@b", "https", "example.org", 443, "/\u{301}/@b"),
  ])
  func `has parts`(text: String, scheme: String, host: String, port: Int, path: String) throws {
    let url = try #require(WebURL(text))
    #expect(url.origin == WebOrigin(scheme: scheme, host: host, port: port) && url.path == path)
    #expect(!url.hasCredentials)
  }

  @Test(arguments: [
    "", "example.org", "ftp://example.org", "https:/example.org", "https://", "https:///a", "https://:80/",
    "https://a:b/", "https://a:0/", "https://a:65536/", "https://a:-1/", "https://[::1", "https://[::1]x/",
    "https://[1:2]/", "https://[1::2::3]/", "https://[:1]/", "https://[1:2:3:4:5:6:7:8:9]/",
    "https://[::1.2.3]/",
    "https://a+b/", "https://a%2Fb/", "https://a/b c", "https://a b/", "https://a\\b/", "https://a\u{7F}/",
    "x:y https://a/",
  ])
  func `rejects anything else`(text: String) { #expect(WebURL(text) == nil) }

  @Test(arguments: ["https://u@h/", "https://u:p@h/", "https://@h/", "https://a@b@h/", "https://u@\u{301}h/"])
  func `recognises credentials`(text: String) { #expect(WebURL(text)?.hasCredentials == true) }

  @Test func `has an origin of scheme, host and port`() throws {
    let url = try #require(WebURL("https://example.org/a"))
    #expect(url.origin == WebURL("HTTPS://EXAMPLE.org:443/b")?.origin)
    for other in ["http://example.org/a", "https://example.org:444/a", "https://a.example.org/a"] {
      #expect(url.origin != (try #require(WebURL(other))).origin)
    }
  }

  @Test(
    arguments: [
      ("/a/b.gz", "b.gz"), ("/a%20b", "a b"), ("/", nil), ("/a/", nil), ("/..", nil), ("/%2e%2E", nil),
      ("/a%2Fb", nil),
      ("/a%00", nil), ("/%FF", nil), ("/%4", nil), ("/%", nil), ("/%zz", nil), ("/a/\u{301}b", "\u{301}b"),
    ] as [(String, String?)])
  func `gives the file name of its last part`(path: String, expected: String?) {
    #expect(WebURL.lastPart(ofPath: path) == expected)
  }
}

@Suite struct `An entity tag` {
  @Test func `is strong in quotes without W, and weakly equal without regard to it`() {
    #expect(EntityTag("\"a\"").isStrong && EntityTag("\"\"").isStrong)
    #expect(!EntityTag("W/\"a\"").isStrong && !EntityTag("a").isStrong && !EntityTag("\"").isStrong)
    #expect(EntityTag("W/\"a\"").weaklyEquals(EntityTag("\"a\"")))
    #expect(!EntityTag("\"a\"").weaklyEquals(EntityTag("\"b\"")))
  }

  @Test func `is compared byte for byte, also where letters look the same`() {
    let (one, other) = (EntityTag("\"\u{E9}\""), EntityTag("\"e\u{301}\""))
    #expect(one != other && !one.weaklyEquals(other))
    #expect(Set([one, other]).count == 2)
  }
}

@Suite struct `A moment` {
  private let now = Timestamp(seconds: 1_795_000_000)  // 2026

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `is read from every form that HTTP knows`(text: String) {
    #expect(HTTPDate.parse(text, now: now) == Timestamp(seconds: 784_111_777))
  }

  @Test func `with a two-digit year is at most fifty years in the future`() {
    #expect(HTTPDate.parse("Sunday, 06-Nov-76 00:00:00 GMT", now: now)?.rfc3339 == "2076-11-06T00:00:00Z")
    #expect(HTTPDate.parse("Sunday, 06-Nov-77 00:00:00 GMT", now: now)?.rfc3339 == "1977-11-06T00:00:00Z")
  }

  @Test(arguments: [
    "", "now", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 31 Feb 2024 00:00:00 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +1994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
  ])
  func `is not read from anything else`(text: String) { #expect(HTTPDate.parse(text, now: now) == nil) }

  @Test func `in a leap second is the next second`() {
    #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT", now: now)?.rfc3339 == "2017-01-01T00:00:00Z")
  }

  @Test func `is read back from its own text, in every month of four centuries`() {
    for month in 0..<4800 {
      let civil = CivilTime(
        year: 1700 + month / 12, month: month % 12 + 1, day: 1 + month % 28, hour: 1, minute: 2, second: 3)
      #expect(CivilTime(secondsSince1970: civil.secondsSince1970) == civil)
      let time = Timestamp(seconds: civil.secondsSince1970)
      #expect(HTTPDate.parse(HTTPDate.format(time), now: now) == time)
    }
  }

  @Test func `is written with its weekday`() {
    #expect(HTTPDate.format(Timestamp(seconds: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(Timestamp(seconds: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(Timestamp(seconds: 951_782_400).rfc3339 == "2000-02-29T00:00:00Z")
    #expect(Timestamp(nanoseconds: 951_782_400_000_000_012).exactRFC3339 == "2000-02-29T00:00:00.000000012Z")
    #expect(Timestamp(nanoseconds: -1).exactRFC3339 == "1969-12-31T23:59:59.999999999Z")
    #expect(Timestamp(seconds: 951_782_400).exactRFC3339 == "2000-02-29T00:00:00Z")
    #expect(Timestamp(nanoseconds: .min).exactRFC3339 == "1677-09-21T00:12:43.145224192Z")
  }

  @Test func `rounds down to seconds, clamps, and subtracts exactly`() {
    #expect(Timestamp(nanoseconds: -1).seconds == -1)
    #expect(Timestamp(nanoseconds: .min).seconds == -9_223_372_037)
    #expect(Timestamp(seconds: .max).nanoseconds == .max && Timestamp(seconds: .min).nanoseconds == .min)
    #expect(Timestamp(seconds: .max) - Timestamp(seconds: .min) > .seconds(18_446_744_073))
    #expect(Timestamp(seconds: 5) - Timestamp(seconds: 7) == .seconds(-2))
  }
}
