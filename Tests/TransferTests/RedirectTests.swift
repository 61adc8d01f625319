import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

@Suite struct `Redirects` {
  @Test(arguments: [301, 302, 303, 307, 308]) func `each kind is followed`(status: Int) throws {
    let server = try LoopbackServer([
      "/a": [.status(status, headers: [HeaderField("Location", "b?c")], body: Array("moved".utf8))],
      "/b": [.text("here")],
    ])
    let got = try fetch(ExchangeRequest(url: server.url("/a")))
    #expect(got.end == .complete(lengthIsProven: true))
    #expect(got.text == "here")
    #expect(got.head?.url == server.url("/b?c"))
    #expect(got.totals == ExchangeTotals(bytes: 9, requests: 2))
    #expect(
      got.notes == [
        .request(method: "GET", url: server.url("/a"), conditions: []),
        .response(status: status, url: server.url("/a"), length: 5),
        .redirect(from: server.url("/a"), to: server.url("/b?c")),
        .request(method: "GET", url: server.url("/b?c"), conditions: []),
        .response(status: 200, url: server.url("/b?c"), length: 4),
      ])
    #expect(server.log.connections == 1)
  }

  @Test func `a HEAD stays a HEAD`() throws {
    let server = try LoopbackServer(["/a": [.redirect("/b", status: 303)], "/b": [.text("here")]])
    let got = try fetch(ExchangeRequest(method: .head, url: server.url("/a")))
    #expect(got.head?.status == 200)
    #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
  }

  @Test func `at most ten are followed`() throws {
    let server = try LoopbackServer([
      "*": [
        Reply(
          .computed { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 0 ? .text("end") : .redirect("/\(number - 1)")
          })
      ]
    ])
    #expect(try fetch(ExchangeRequest(url: server.url("/10"))).text == "end")
    let refused = try fetch(ExchangeRequest(url: server.url("/11")))
    #expect(refused.failure == .redirectRefused(from: server.url("/1"), to: "/0", .tooMany))
    #expect(refused.totals.requests == 11)
  }

  @Test(arguments: [
    (["ftp://127.0.0.1/x"], RedirectFault.scheme),
    (["file:///etc/passwd"], .scheme),
    ([], .location),
    (["/a", "/b"], .location),
    (["http://127.0.0.1:99999/"], .location),
  ]) func `what must not be followed ends the exchange`(locations: [String], fault: RedirectFault) throws {
    let server = try LoopbackServer([
      "/": [.status(302, headers: locations.map { HeaderField("Location", $0) }, body: [1])]
    ])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    #expect(
      got.failure == .redirectRefused(from: server.url("/"), to: locations.first ?? "", fault))
    #expect(got.heads.isEmpty)
  }

  @Test func `two equal locations count as one`() throws {
    let server = try LoopbackServer([
      "/": [.status(302, headers: [HeaderField("Location", "/b"), HeaderField("Location", "/b")])],
      "/b": [.text("here")],
    ])
    #expect(try fetch(ExchangeRequest(url: server.url("/"))).text == "here")
  }

  @Test(arguments: [300, 304, 305, 306, 399]) func `other 3xx statuses are replies`(status: Int) throws {
    let server = try LoopbackServer(["/": [.status(status, headers: [HeaderField("Location", "/b")])]])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    #expect(got.head?.status == status)
    #expect(server.requests.count == 1)
  }

  @Test func `for an endless body of a redirect the connection is closed`() throws {
    var endless = Response(
      status: 302, headers: [HeaderField("Location", "/b")], body: [7], framing: .chunked)
    endless.body = Array(repeating: 7, count: 1000)
    endless.repeats = .max
    let server = try LoopbackServer(["/a": [Reply(.response(endless))], "/b": [.text("here")]])
    let got = try fetch(ExchangeRequest(url: server.url("/a")))
    #expect(got.text == "here")
    #expect(got.totals.bytes < 200_000)
  }

  @Test func `a body of a redirect that never comes is not waited for`() throws {
    let server = try LoopbackServer([
      "/a": [
        .status(302, headers: [HeaderField("Location", "/b")], body: [1, 2]).held(
          afterBody: 1, until: "never")
      ],
      "/b": [.text("here")],
    ])
    #expect(
      try fetch(ExchangeRequest(url: server.url("/a")), Recorder()) { $0.timeScale = 0.05 }.text == "here")
  }

  @Test func `the password in a location is not used`() throws {
    let server = try LoopbackServer(["/b": [.text("here")]])
    server.on("/a", .redirect("http://user:word@127.0.0.1:\(server.port)/b"))
    let got = try fetch(ExchangeRequest(url: server.url("/a")))
    #expect(got.head?.url == server.url("/b"))
    #expect(server.requests(to: "/b").first?.header("Authorization") == nil)
  }

  @Test(arguments: [
    ("ftp://user:word@host/b", "ftp://***@host/b"), ("http://user:word@bad host/b", "http://***@bad host/b"),
    ("//user:wo@rd@host:99999/b@c", "//***@c"), ("ftp:user:word@host", "ftp:***@host"),
    ("http:\\\\us:wo#r/d@bad host", "http:\\\\***@bad host"), ("///u:word@host:99999", "///***@host:99999"),
    ("1http://u:word@ho st/", "1http://***@ho st/"),
    ("http://u:word@host:99999?sig=x&a=b", "http://***@host:99999?a=b"),
  ]) func `the password in a location that is refused is not told`(location: String, shown: String) throws {
    let server = try LoopbackServer(["/a": [.redirect(location)]])
    let got = try fetch(ExchangeRequest(url: server.url("/a")))
    guard case .redirectRefused(_, let to, _) = got.failure else {
      return #expect(Bool(false), "\(String(describing: got.end))")
    }
    #expect(to == shown)
  }

  @Test func `a location that is only a fragment names the same resource`() throws {
    let server = try LoopbackServer(["/b/a": [.redirect("#part"), .text("here")]])
    #expect(try fetch(ExchangeRequest(url: server.url("/b/a"))).text == "here")
    #expect(server.requests(to: "/b/a").count == 2)
  }

  @Test func `conditions go to the redirector and to the resource they came from`() throws {
    let server = try LoopbackServer([
      "/a": [.redirect("/c")], "/c": [.redirect("/b?v=1&X-Amz-Signature=2")], "/b": [.status(304)],
    ])
    let known = Validators(etag: EntityTag("\"x\""), lastModified: "then", url: server.url("/b?v=1&sig=1"))
    let got = try fetch(ExchangeRequest(url: server.url("/a"), conditions: known))
    #expect(got.head?.status == 304)
    #expect(got.head?.url == server.url("/b?v=1"))
    #expect(got.head?.isSigned == true)
    #expect(server.requests(to: "/a").first?.header("If-None-Match") == "\"x\"")
    #expect(server.requests(to: "/c").first?.header("If-None-Match") == nil)
    #expect(server.requests(to: "/b").first?.header("If-None-Match") == "\"x\"")
    #expect(server.requests(to: "/b").first?.header("If-Modified-Since") == "then")
  }
}

/// A secret reaches only the origin of the request's own URL.
@Suite struct `Credentials and redirects` {
  enum Kind: CaseIterable { case header, basic, bearer, netrc }
  enum Destination: CaseIterable { case sameOrigin, otherPort, otherHost }

  @Test(arguments: Kind.allCases, [301, 302, 303, 307, 308])
  func `go to their own origin only`(kind: Kind, status: Int) throws {
    let home = try LoopbackServer(["/end": [.text("end")]])
    let away = try LoopbackServer(["/end": [.text("end")]])
    let folder = try TemporaryFolder()
    try folder.write(
      "machine 127.0.0.1 login me password word\nmachine localhost login me password word\n", to: "netrc")
    for destination in Destination.allCases {
      let location =
        switch destination {
        case .sameOrigin: home.url("/end")
        case .otherPort: away.url("/end")
        case .otherHost: "http://localhost:\(home.port)/end"
        }
      home.clearLog()
      home.on("/start", .redirect(location, status: status))
      var request = ExchangeRequest(url: home.url("/start"))
      switch kind {
      case .header: request.headers = [RequestHeader(name: "Authorization", value: "Own secret")]
      case .basic: request.authentication = .basic(user: "me", password: "word")
      case .bearer: request.authentication = .bearer("secret")
      case .netrc: request.authentication = .netrc
      }
      let got = try fetch(request) { $0.netrcPath = folder.path("netrc") }
      #expect(got.text == "end")
      let expected =
        switch kind {
        case .header: "Own secret"
        case .basic, .netrc: "Basic bWU6d29yZA=="
        case .bearer: "Bearer secret"
        }
      #expect(home.requests(to: "/start").first?.values(of: "Authorization") == [expected])
      let server = destination == .otherPort ? away : home
      #expect(
        server.requests(to: "/end").last?.values(of: "Authorization")
          == (destination == .sameOrigin ? [expected] : []), "\(destination)")
    }
  }

  @Test func `are sent again on the way back to the origin`() throws {
    let home = try LoopbackServer(["/end": [.text("end")]])
    let away = try LoopbackServer(["/via": [.redirect(home.url("/end"))]])
    home.on("/start", .redirect(away.url("/via")))
    let got = try fetch(
      ExchangeRequest(url: home.url("/start"), headers: [RequestHeader(name: "X-Key", value: "k")]))
    #expect(got.text == "end")
    #expect(away.requests.first?.header("X-Key") == nil)
    #expect(home.requests(to: "/end").first?.header("X-Key") == "k")
  }

  @Test func `auth comes before a header of the same name`() throws {
    let server = try LoopbackServer(["/": [.text("x")]])
    _ = try fetch(
      ExchangeRequest(
        url: server.url("/"), headers: [RequestHeader(name: "authorization", value: "Own")],
        authentication: .bearer("b")))
    #expect(server.requests.first?.values(of: "Authorization") == ["Bearer b"])
  }

  @Test func `characters that are unsafe in a URL are allowed in a password`() throws {
    let server = try LoopbackServer(["/": [.text("x")]])
    _ = try fetch(ExchangeRequest(url: server.url("/"), authentication: .basic(user: "ü", password: "a:@/%")))
    #expect(server.requests.first?.header("Authorization") == "Basic w7w6YTpALyU=")
  }
}

@Suite struct `Requests as they are sent` {
  @Test func `the usual headers are sent and no others`() throws {
    let server = try LoopbackServer(["/": [.text("x")]])
    _ = try fetch(ExchangeRequest(url: server.url("/")))
    let headers = try #require(server.requests.first?.headers)
    #expect(
      headers.map { "\($0.name): \($0.value)" }.sorted() == [
        "Accept-Encoding: identity", "Accept: */*", "Host: 127.0.0.1:\(server.port)",
        "User-Agent: syncmake/test",
      ])
  }

  @Test func `the manifest's headers are sent unchanged and replace the default ones`() throws {
    let server = try LoopbackServer(["/": [.text("x")]])
    _ = try fetch(
      ExchangeRequest(
        url: server.url("/"),
        headers: [
          RequestHeader(name: "X-Empty", value: ""), RequestHeader(name: "Accept", value: "text/plain"),
          RequestHeader(name: "User-Agent", value: "me"),
          RequestHeader(name: "X-U", value: "ü;,"),
        ]))
    let sent = try #require(server.requests.first)
    #expect(sent.values(of: "Accept") == ["text/plain"])
    #expect(sent.values(of: "User-Agent") == ["me"])
    #expect(sent.values(of: "X-Empty") == [""])
    #expect(sent.values(of: "X-U") == ["ü;,"])
  }

  @Test func `a range is sent with its ETag, and the 206 is passed on unchanged`() throws {
    let server = try LoopbackServer(["/": [.file(Array("0123456789".utf8), etag: "\"e\"")]])
    let resume = ResumePoint(offset: 4, total: 10, etag: EntityTag("\"e\""), url: server.url("/"))
    let got = try fetch(ExchangeRequest(url: server.url("/"), resume: resume))
    #expect(server.requests.first?.header("Range") == "bytes=4-")
    #expect(server.requests.first?.header("If-Range") == "\"e\"")
    #expect(got.head?.status == 206)
    #expect(got.head?.contentRange == "bytes 4-9/10")
    #expect(got.text == "456789")
    #expect(
      got.notes.first
        == .request(method: "GET", url: server.url("/"), conditions: ["Range: bytes=4-", "If-Range: \"e\""]))
  }

  @Test(arguments: [200, 416]) func `other answers to a range are passed on as a whole`(status: Int) throws {
    let server = try LoopbackServer(["/": [.text("whole", status: status)]])
    let resume = ResumePoint(offset: 4, total: 10, etag: EntityTag("\"e\""), url: server.url("/"))
    let got = try fetch(ExchangeRequest(url: server.url("/"), resume: resume))
    #expect(got.head?.status == status)
    #expect(got.text == "whole")
    #expect(got.end == .complete(lengthIsProven: true))
  }

  @Test func `an encoded body is passed on as it was sent`() throws {
    let server = try LoopbackServer([
      "/": [.status(200, headers: [HeaderField("Content-Encoding", "GZIP")], body: [1, 2, 3])]
    ])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    #expect(got.head?.contentEncoding == "gzip")
    #expect(got.body == [1, 2, 3])
  }

  @Test func `a proxy gets whole plain requests`() throws {
    let proxy = try LoopbackServer(["*": [.text("by proxy")]])
    let got = try fetch(ExchangeRequest(url: "http://a.test/x?y")) { $0.proxies.http = proxy.url() }
    #expect(got.text == "by proxy")
    #expect(proxy.requests.first?.target == "http://a.test/x?y")
  }

  @Test func `a proxy learns only the host of an https URL`() throws {
    let proxy = try LoopbackServer(["*": [.text("no", status: 403)]])
    let request = ExchangeRequest(
      url: "https://a.test/x", headers: [RequestHeader(name: "X-Key", value: "k")],
      authentication: .bearer("t"))
    let got = try fetch(request) { $0.proxies.all = proxy.url() }
    let asked = try #require(proxy.requests.first)
    #expect(asked.method == "CONNECT" && asked.target == "a.test:443")
    #expect(asked.header("X-Key") == nil && asked.header("Authorization") == nil)
    guard case .proxyRefused(403, _, "https://a.test/x") = got.failure else {
      return #expect(Bool(false), "\(String(describing: got.end))")
    }
    #expect(got.totals.requests == 0)
  }

  @Test func `an excepted host is reached without the proxy`() throws {
    let server = try LoopbackServer(["/": [.text("direct")]])
    let port = try LoopbackServer.deadPort()
    let got = try fetch(ExchangeRequest(url: server.url("/"))) {
      $0.proxies = ProxySettings(all: "http://127.0.0.1:\(port)", exceptions: "127.0.0.1")
    }
    #expect(got.text == "direct")
  }
}
