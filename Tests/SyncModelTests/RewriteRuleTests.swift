import SyncModel
import Testing

@Suite struct `A rule of rewrite` {
  @Test(arguments: [
    (
      "https://a.example/", "https://m.example/a/", "https://a.example/x/y?z=1", "https://m.example/a/x/y?z=1"
    ),
    ("https://a.example", "https://m.example/a", "https://a.example/x", "https://m.example/a/x"),
    ("https://a.example/", "https://m.example/a", "https://a.example/x", "https://m.example/a/x"),
    ("https://a.example", "https://m.example/a/", "https://a.example/x", "https://m.example/a/x"),
    ("https://a.example/o", "https://m.example", "https://a.example/o/r", "https://m.example/r"),
    ("https://a.example/o", "https://m.example/p", "https://a.example/o?q", "https://m.example/p?q"),
    ("https://A.example:443/", "http://m.example/", "https://a.EXAMPLE/x", "http://m.example/x"),
    ("http://a.example:8080/", "http://m.example/", "http://a.example:8080/x", "http://m.example/x"),
  ])
  func `applies to a prefix up to a slash`(from: String, to: String, url: String, expected: String) throws {
    let rule = try #require(RewriteRule(from: from, to: to))
    #expect([rule].applied(to: url)?.url == expected)
  }

  @Test(arguments: [
    ("https://a.example", "https://a.example.evil.example/x"), ("https://a.example", "http://a.example/x"),
    ("https://a.example", "https://a.example:8443/x"), ("https://a.example/o", "https://a.example/other"),
    ("https://a.example/o/", "https://a.example/o"), ("https://a.example/o", "https://a.example/O/x"),
    ("https://a.example", "not a URL"), ("https://a.example", "https://b.example/https://a.example/x"),
  ])
  func `applies to nothing else`(from: String, url: String) throws {
    let rule = try #require(RewriteRule(from: from, to: "https://m.example/"))
    #expect([rule].applied(to: url) == nil)
  }

  @Test(arguments: [
    ("/../private/x", "/g/private/x"), ("/a/../../private/x?q=..", "/g/private/x?q=.."),
    ("/%2e%2E/private/x", "/g/private/x"), ("/a/%2E./b", "/g/b"), ("/./a/.", "/g/a/"),
    ("/..%2fprivate/x", "/g/..%252fprivate/x"), ("/a%5C..%5cb", "/g/a%255C..%255cb"),
    ("/a\\..\\b", "/g/a%255C..%255Cb"), ("/a%2fb/..c", "/g/a%2fb/..c"), ("/%61%7E%20", "/g/a~%20"),
    ("/%2%65%2%65%2fprivate/x", "/g/..%252fprivate/x"), ("/%%32e%%32e%2fprivate/x", "/g/..%252fprivate/x"),
  ])
  func `leads to nothing outside of the mirror's folder`(path: String, expected: String) throws {
    let rule = try #require(RewriteRule(from: "https://a.example/", to: "https://m.example/g/"))
    #expect([rule].applied(to: "https://a.example" + path)?.url == "https://m.example" + expected)
  }

  @Test(arguments: ["/x/../o/a", "/./o/a", "/%6F/a", "/o/%2e/a", "/x/%2E%2e/o/a"])
  func `is avoided by no other spelling of the path`(path: String) throws {
    let rule = try #require(RewriteRule(from: "https://a.example/o/", to: "https://m.example/"))
    #expect([rule].applied(to: "https://a.example" + path)?.url == "https://m.example/a")
  }

  @Test func `is the first that applies, and applies once`() throws {
    let rules = try [
      #require(RewriteRule(from: "https://b.example/", to: "https://c.example/")),
      #require(RewriteRule(from: "https://a.example/", to: "https://b.example/")),
      #require(RewriteRule(from: "https://a.example/", to: "https://d.example/")),
    ]
    #expect(rules.applied(to: "https://a.example/x")?.url == "https://b.example/x")
  }

  @Test(arguments: [
    "ftp://a/", "a.example", "https://u:p@a.example/", "https://a.example/?q", "https://a/#f", "",
  ])
  func `needs plain addresses`(text: String) {
    #expect(RewriteRule(from: text, to: "https://m.example/") == nil)
    #expect(RewriteRule(from: "https://a.example/", to: text) == nil)
  }

  @Test func `says when the origin is asked after the mirror`() throws {
    func asks(_ otherwise: RewriteRule.Otherwise, _ cause: FailureCause) throws -> Bool {
      let rule = try #require(
        RewriteRule(from: "https://a.example/", to: "https://m.example/", otherwise: otherwise))
      return try #require([rule].applied(to: "https://a.example/x")).asksOrigin(after: cause)
    }
    let url = "https://m.example/x"
    for status in [404, 410, 403, 500] {
      #expect(try !asks(.never, .httpStatus(status, url: url)))
      #expect(try asks(.notFound, .httpStatus(status, url: url)) == [404, 410].contains(status))
      #expect(try asks(.error, .httpStatus(status, url: url)))
    }
    #expect(try asks(.error, .connectFailed(url: url, text: "")))
    #expect(try !asks(.notFound, .connectFailed(url: url, text: "")))
    #expect(try !asks(.error, .offline))
    #expect(try !asks(.error, .diskFull(path: "x")))
  }

  @Test func `what a mirror has sent is known by a name of its own`() {
    let origin = "https://a.example/f.tgz"
    let one = ResourceURL.ofMirror("https://m.example/f.tgz", origin: origin)
    let other = ResourceURL.ofMirror("https://n.example/f.tgz", origin: origin)
    #expect(one != other && one == ResourceURL.ofMirror("https://m.example/f.tgz", origin: origin))
    #expect(one.hasPrefix(origin) && !one.contains("m.example"))
    #expect(ResourceURL.isOfMirror(one) && !ResourceURL.isOfMirror(origin))
    #expect(!ResourceURL.isOfMirror("data/#0123456789abcdef") && !ResourceURL.isOfMirror(""))
    #expect(ResourceURL.text(of: one) == one)
    #expect(ResourceURL.mayBeCopies(one, origin) && ResourceURL.mayBeCopies(one, other))
    #expect(!ResourceURL.mayBeCopies(one, "https://a.example/other.tgz"))
    // A first request never carries what a mirror has sent.
    let validators = Validators(etag: EntityTag("\"1\""), url: one)
    #expect(validators.areSent(to: one, first: origin))
    #expect(!validators.areSent(to: origin, first: origin))
    #expect(!validators.areSent(to: other, first: other))
  }
}

@Suite struct `A rule of credentials` {
  @Test(arguments: [
    ("a.corp", "a.corp", true), ("A.corp", "a.corp", true), ("a.corp", "b.a.corp", false),
    ("*.corp", "a.corp", true),
    ("*.corp", "b.a.corp", true), ("*.corp", "corp", false), ("*.corp", "acorp", false),
    ("*", "any.example", true), ("a.corp.", "a.corp", true), ("*.corp.", "a.corp", true),
    ("*.corp.", "a.corp.", true), ("*.corp.", "acorp", false),
    ("::1", "[::1]", true), ("127.0.0.1", "127.0.0.1", true),
  ])
  func `covers hosts`(host: String, name: String, covered: Bool) throws {
    let rule = try #require(CredentialRule(host: host, helper: "h", program: "h"))
    #expect(rule.covers(name) == covered)
  }

  @Test(arguments: ["", ".", "*.", "*..", "https://a", "a:80", "a/b", "a b", "**", "a.*"])
  func `needs a host`(host: String) {
    #expect(CredentialRule(host: host, helper: "h", program: "h") == nil)
  }
}

@Suite struct `Limits of two places` {
  @Test func `the smaller of each counts`() {
    var manifest = HostLimits(connections: ["a": 6, "b": 2, "c": 8], otherwise: 5)
    manifest.unstated.insert("c")
    manifest.rates = ["c": RequestRate(count: 3, period: .seconds(1))]
    var user = HostLimits(connections: ["a": 3, "b": 4, "c": 16, "d": 7])
    user.rates = [
      "a": RequestRate(count: 30, period: .seconds(60)), "c": RequestRate(count: 100, period: .seconds(60)),
    ]
    for both in [manifest.combined(with: user), user.combined(with: manifest)] {
      #expect(both.limit(for: "a") == 3 && both.limit(for: "b") == 2 && both.limit(for: "d") == 5)
      #expect(both.limit(for: "e") == 5)
      #expect(both.rate(for: "a") == RequestRate(count: 30, period: .seconds(60)))
      #expect(both.rate(for: "c") == RequestRate(count: 100, period: .seconds(60)))
      #expect(both.rate(for: "b") == nil)
    }
  }

  @Test func `a default counts only if neither says anything`() {
    let user = HostLimits(connections: ["a": 16])
    #expect(HostLimits().combined(with: user).limit(for: "a") == 16)
    #expect(HostLimits().combined(with: user).limit(for: "b") == 8)
    var manifest = HostLimits(connections: ["a": 8])
    #expect(manifest.combined(with: user).limit(for: "a") == 8)
    manifest.unstated = ["a", "*"]
    #expect(manifest.combined(with: user).limit(for: "a") == 16)
    #expect(HostLimits().combined(with: HostLimits()) == HostLimits())
  }
}
