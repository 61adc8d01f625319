import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

@Suite(.enabled(if: NginxServer.isHere, "needs nginx, openssl and curl")) struct `Over TLS` {
  private static let locations = """
    location /who { return 200 "$server_protocol $connection"; }
    location /down { return 302 http://127.0.0.1:1/; }
    location /moved { return 302 /who; }
    location /slow/ { alias files/; limit_rate 20k; }
    location /unsized/ { alias files/; sub_filter_types *; sub_filter nothing something; }
    """

  private func nginx(names: String = "IP:127.0.0.1,DNS:localhost", files: [String: [UInt8]] = [:]) throws
    -> NginxServer
  {
    try NginxServer([.http2, .https], locations: Self.locations, certificateNames: names, files: files)
  }

  private func loop(for server: NginxServer, _ change: (inout TransferSettings) -> Void = { _ in }) throws
    -> TransferLoop
  {
    try TransferLoop.forTests {
      $0.caBundle = server.certificate
      change(&$0)
    }
  }

  @Test func `HTTP/2 is used if it is offered`() throws {
    let server = try nginx()
    let got = try loop(for: server).exchange(ExchangeRequest(url: server.url("/who")))
    #expect(got.text.hasPrefix("HTTP/2.0 "))
    #expect(got.end == .complete(lengthIsProven: true))
  }

  @Test func `an untrusted certificate is refused`() throws {
    let server = try nginx()
    let got = try fetch(ExchangeRequest(url: server.url("/who")))
    guard case .tls(let url, let text) = got.failure else {
      return #expect(Bool(false), "\(String(describing: got.end))")
    }
    #expect(url == server.url("/who"))
    #expect(!text.isEmpty)
    #expect(got.totals.requests == 0)
  }

  @Test func `a certificate for another name is refused`() throws {
    let server = try nginx(names: "DNS:other.test")
    let got = try loop(for: server).exchange(ExchangeRequest(url: server.url("/who")))
    #expect(got.failure?.code == .tls)
  }

  @Test func `a redirect to http is refused`() throws {
    let server = try nginx()
    let got = try loop(for: server).exchange(ExchangeRequest(url: server.url("/down")))
    #expect(got.failure == .redirectRefused(from: server.url("/down"), to: "http://127.0.0.1:1/", .downgrade))
  }

  @Test func `a redirect within https is followed`() throws {
    let server = try nginx()
    let got = try loop(for: server).exchange(ExchangeRequest(url: server.url("/moved")))
    #expect(got.head?.url == server.url("/who"))
  }

  @Test func `hundreds of requests share one HTTP/2 connection`() throws {
    let server = try nginx()
    let loop = try loop(for: server)
    let clients = (0..<300).map { _ in Recorder() }
    for client in clients { _ = loop.start(ExchangeRequest(url: server.url("/who")), client: client) }
    #expect(loop.run(seconds: 30) { loop.activeCount == 0 })
    #expect(clients.allSatisfy { $0.end == .complete(lengthIsProven: true) })
    #expect(Set(clients.map(\.text)).count == 1)
  }

  @Test func `without HTTP/2 a host gets no more connections than its limit`() throws {
    let server = try nginx()
    let loop = try loop(for: server) { $0.hosts = HostLimits(otherwise: 3) }
    let clients = (0..<60).map { _ in Recorder() }
    for client in clients {
      _ = loop.start(ExchangeRequest(url: server.url("/who", over: .https)), client: client)
    }
    #expect(loop.run(seconds: 30) { loop.activeCount == 0 })
    #expect(clients.allSatisfy { $0.text.hasPrefix("HTTP/1.1 ") })
    #expect(Set(clients.map(\.text)).count <= 3)
  }

  @Test func `the end of a stream proves a body without a length`() throws {
    let bytes = Array(repeating: UInt8(ascii: "x"), count: 300_000)
    let server = try nginx(files: ["f": bytes])
    let got = try loop(for: server).exchange(ExchangeRequest(url: server.url("/unsized/f")))
    #expect(got.head?.contentLength == nil)
    #expect(got.end == .complete(lengthIsProven: true))
    #expect(got.body == bytes)
  }

  @Test(arguments: [true, false]) func `a connection that breaks in the middle is a truncated reply`(
    isHTTP2: Bool
  )
    throws
  {
    let server = try nginx(files: ["f": Array(repeating: 1, count: 1_000_000)])
    let loop = try loop(for: server)
    let client = Recorder()
    let url = server.url("/slow/f", over: isHTTP2 ? .http2 : .https)
    _ = loop.start(ExchangeRequest(url: url), client: client)
    #expect(loop.run { !client.body.isEmpty })
    server.kill()
    #expect(loop.run { !client.ends.isEmpty })
    guard case .truncated(_, let received, let expected) = client.failure else {
      return #expect(Bool(false), "\(String(describing: client.end))")
    }
    #expect(received == Int64(client.body.count) && expected == 1_000_000)
  }

  @Test func `a stream with a full client does not hold up the others`() throws {
    let bytes = TestData.random(2_000_000, seed: 1)
    let server = try nginx(files: ["f": bytes])
    let loop = try loop(for: server)
    let (big, small) = (Recorder(), Recorder())
    var hasRoom = false
    big.answer = { _ in hasRoom ? .taken : .full }
    let id = loop.start(ExchangeRequest(url: server.url("/f")), client: big)
    #expect(loop.run { big.pauses > 0 })
    #expect(loop.exchange(ExchangeRequest(url: server.url("/who")), small).text.hasPrefix("HTTP/2.0"))
    #expect(big.ends.isEmpty)
    hasRoom = true
    loop.resume(id)
    #expect(loop.run { !big.ends.isEmpty })
    #expect(big.body == bytes)
  }

  @Test func `the server's own 304 and 206 are passed on`() throws {
    let server = try nginx(files: ["f": Array("0123456789".utf8)])
    let loop = try loop(for: server)
    let first = loop.exchange(ExchangeRequest(url: server.url("/f")))
    let head = try #require(first.head)
    let etag = try #require(head.etag)
    let known = Validators(etag: etag, lastModified: head.lastModified, url: head.url)
    let second = loop.exchange(ExchangeRequest(url: server.url("/f"), conditions: known))
    #expect(second.head?.status == 304)
    #expect(second.head?.etag == etag)
    #expect(second.totals == ExchangeTotals(bytes: 0, requests: 1))
    let resume = ResumePoint(offset: 7, total: 10, etag: etag, url: head.url)
    #expect(loop.exchange(ExchangeRequest(url: server.url("/f"), resume: resume)).text == "789")
  }
}
