import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

@Suite struct `Requests under a policy` {
  private static let here = AddressRule(.public, networks: [AddressNetwork(of: .v4(0x7f00_0001), prefix: 32)])

  /// A request to the user's own mirror, whose scheme and port are the user's choice.
  private func request(_ url: String) -> ExchangeRequest {
    var request = ExchangeRequest(url: url)
    request.mirroredResource = "https://data.example/x"
    return request
  }

  private func fetch(
    _ request: ExchangeRequest, _ change: (inout TransferSettings) -> Void
  ) throws -> Recorder {
    try TransferLoop.forTests(change).exchange(request)
  }

  private func settings(
    _ addresses: AddressRule = here, _ change: @escaping (inout Policy) -> Void = { _ in }
  ) -> (inout TransferSettings) -> Void {
    var policy = Policy()
    policy.addresses = addresses
    change(&policy)
    return { [policy] in $0.policy = NetworkPolicy(policy) }
  }

  @Test(arguments: ["http://127.0.0.1:1/a", "https://127.1/a", "https://[::1]/a", "https://0x7f000001/"])
  func `an address that is not public is not asked`(url: String) throws {
    let got = try fetch(ExchangeRequest(url: url), settings(.public))
    #expect(got.failure?.code == .addressRefused && got.totals.requests == 0)
  }

  @Test func `scheme, port and host are judged before the name is looked up`() throws {
    for (url, fault) in [
      ("http://a.invalid/", HostFault.scheme), ("https://a.invalid:444/", .port(444)),
      ("https://b.invalid/", .host("b.invalid")),
    ] {
      let got = try fetch(
        ExchangeRequest(url: url), settings { $0.hosts = [HostPattern("a.invalid")].compactMap(\.self) })
      #expect(got.failure == .hostRefused(url: url, from: nil, fault))
    }
  }

  @Test func `no connection is made to an address that is refused`() throws {
    let server = try LoopbackServer(["*": [.text("x")]])
    let url = server.url("/a")
    let got = try fetch(request(url), settings(.public))
    #expect(got.failure == .addressRefused(url: url, .v4(0x7f00_0001), .loopback))
    #expect(server.log.connections == 0)
    #expect(try fetch(request(url), settings()).text == "x" && server.log.connections == 1)
  }

  @Test func `a handle that was refused serves the next request`() throws {
    let server = try LoopbackServer(["*": [.text("x")]])
    let loop = try TransferLoop.forTests()
    let refused = loop.exchange(ExchangeRequest(url: "http://169.254.169.254/a"))
    #expect(refused.failure == .addressRefused(url: "http://169.254.169.254/a", .v4(0xa9fe_a9fe), .metadata))
    #expect(loop.exchange(ExchangeRequest(url: server.url("/a"))).text == "x")
    let closed = loop.exchange(ExchangeRequest(url: "http://127.0.0.1:9/a"))
    #expect(closed.failure?.code == .connectFailed)
  }

  @Test func `a refused address is not to blame where an allowed one does not answer`() throws {
    // The name has 127.0.0.1, which is allowed, and usually ::1.
    #expect(try fetch(request("http://localhost:9/a"), settings()).failure?.code == .connectFailed)
    let handle = try #require(EasyHandle())
    #expect(!handle.admits(.v4(0xa9fe_a9fe)))
    #expect(handle.refusedAddress?.what == .metadata)
    #expect(handle.admits(.v4(0x7f00_0001)))
    #expect(handle.refusedAddress?.what == nil)
    #expect(!handle.admits(.v4(0xa9fe_a9fe)))
    #expect(handle.refusedAddress?.what == nil)
  }

  @Test func `a redirect is judged before it is followed`() throws {
    let other = try LoopbackServer(["*": [.text("x")]])
    let server = try LoopbackServer([
      "/out": [.redirect(other.url("/x"), status: 302)], "/in": [.redirect("/b", status: 302)],
      "/b": [.text("b")],
      "/away": [.redirect("https://b.invalid/", status: 302)],
    ])
    let out = try fetch(request(server.url("/out")), settings())
    #expect(out.failure == .hostRefused(url: other.url("/x"), from: server.url("/out"), .scheme))
    #expect(other.log.connections == 0)
    #expect(try fetch(request(server.url("/in")), settings()).text == "b")
    let away = try fetch(request(server.url("/away")), settings { $0.hosts = [] })
    #expect(
      away.failure == .hostRefused(url: "https://b.invalid/", from: server.url("/away"), .host("b.invalid")))
  }

  @Test func `requests are counted over all exchanges`() throws {
    let server = try LoopbackServer(["/led": [.redirect("/b", status: 302)], "*": [.text("x")]])
    let loop = try TransferLoop.forTests(settings { $0.limits.requests = 3 })
    #expect(loop.exchange(request(server.url("/led"))).text == "x")
    #expect(loop.exchange(request(server.url("/c"))).text == "x")
    #expect(loop.exchange(request(server.url("/d"))).failure == .budgetExceeded(.requests(3)))
    #expect(server.requests.count == 3)
  }

  @Test func `no byte beyond the limit is passed on`() throws {
    let server = try LoopbackServer(["*": [.text(String(repeating: "x", count: 1000))]])
    let loop = try TransferLoop.forTests(settings { $0.limits.bytes = 1500 })
    #expect(loop.exchange(request(server.url("/a"))).body.count == 1000)
    let second = loop.exchange(request(server.url("/b")))
    #expect(second.failure == .budgetExceeded(.bytes(1500)) && second.body.count <= 500)
    #expect(loop.exchange(request(server.url("/c"))).failure == .budgetExceeded(.bytes(1500)))
    #expect(server.requests.count == 2)
  }

  @Test func `a file that is announced as too large is not received`() throws {
    let server = try LoopbackServer(["*": [.text(String(repeating: "x", count: 1000))]])
    let got = try fetch(request(server.url("/a")), settings { $0.limits.file = 999 })
    #expect(got.failure == .budgetExceeded(.file(999)) && got.body.isEmpty && got.heads.isEmpty)
    #expect(try fetch(request(server.url("/a")), settings { $0.limits.file = 1000 }).body.count == 1000)
  }

  @Test func `redirects have a limit of their own`() throws {
    let server = try LoopbackServer([
      "/a": [.redirect("/b", status: 302)], "/b": [.redirect("/c", status: 302)],
    ])
    let got = try fetch(request(server.url("/a")), settings { $0.limits.redirects = 1 })
    #expect(got.failure == .budgetExceeded(.redirects(1)) && got.totals.requests == 2)
  }

  @Test func `when the time is over every exchange ends`() throws {
    let server = try LoopbackServer(["*": [.text("x")]])
    let loop = try TransferLoop.forTests(settings { $0.limits.time = .zero })
    #expect(loop.exchange(request(server.url("/a"))).failure == .budgetExceeded(.time(.zero)))
    #expect(server.requests.isEmpty)
  }

  @Test func `when the time is over what waits for a host's rate ends, too`() throws {
    let server = try LoopbackServer(["*": [.text("x")]])
    let policy = settings { $0.limits.time = .seconds(1) }
    let loop = try TransferLoop.forTests {
      policy(&$0)
      $0.hosts.otherRate = RequestRate(count: 1, period: .seconds(60))
    }
    #expect(loop.exchange(request(server.url("/a"))).text == "x")
    #expect(loop.exchange(request(server.url("/b"))).failure == .budgetExceeded(.time(.seconds(1))))
    #expect(server.requests.count == 1 && loop.activeCount == 0)
  }

  @Test func `with a proxy its address is the operator's choice, and exceptions do not count`() throws {
    let proxy = try LoopbackServer(["*": [.text("by proxy")]])
    let policy = settings(.public)
    let got = try fetch(request("http://data.invalid/a")) {
      policy(&$0)
      $0.proxies = ProxySettings(http: proxy.url(), exceptions: "*")
    }
    #expect(got.text == "by proxy" && proxy.requests.count == 1)
    let metadata = try fetch(ExchangeRequest(url: "http://169.254.169.254/a")) {
      $0.proxies = ProxySettings(http: proxy.url())
    }
    #expect(metadata.failure?.code == .addressRefused && proxy.requests.count == 1)
    for host in ["①⑥⑨.254.169.254", "%E2%91%A0⑥⑨.254.169.254"] {
      let hidden = try fetch(ExchangeRequest(url: "http://\(host)/a")) {
        $0.proxies = ProxySettings(http: proxy.url())
      }
      #expect(hidden.failure?.code == .hostRefused && proxy.requests.count == 1)
    }
  }
}
