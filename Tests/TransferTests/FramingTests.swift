import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

@Suite struct `The proof that a reply is whole` {
  private static let ok = "HTTP/1.1 200 OK\r\n"

  @Test(arguments: [
    ("\(ok)Content-Length: 3\r\n\r\nabc", "abc", true),
    ("\(ok)Content-Length: 0\r\n\r\n", "", true),
    ("\(ok)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc", true),
    ("\(ok)Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nETag: \"t\"\r\n\r\n", "abc", true),
    ("\(ok)Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc", true),
    ("\(ok)\r\nabc", "abc", false),
    ("\(ok)Connection: close\r\n\r\n", "", false),
    ("HTTP/1.0 200 OK\r\n\r\nabc", "abc", false),
    ("HTTP/1.1 103 Early\r\nContent-Length: 9\r\n\r\n\(ok)Content-Length: 3\r\n\r\nabc", "abc", true),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\n\r\n\(ok)Content-Length: 3\r\n\r\nabc", "abc", true),
    ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "", true),
    ("HTTP/1.1 204 No Content\r\n\r\n", "", true),
    ("HTTP/1.1 300 Multiple\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc", "abc", true),
  ]) func `a whole reply is complete`(reply: String, body: String, isProven: Bool) throws {
    let server = try LoopbackServer(["/": [.raw(reply)]])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    #expect(got.end == .complete(lengthIsProven: isProven))
    #expect(got.text == body)
    #expect(got.totals == ExchangeTotals(bytes: Int64(body.utf8.count), requests: 1))
    #expect(got.head?.etag == nil)
    #expect(got.head?.endIsProvable == isProven)
  }

  @Test(
    arguments: [Delivery.Ending.close, .reset],
    [
      ("\(ok)Content-Length: 9\r\n\r\nabc", 3, 9),
      ("\(ok)Content-Length: 9\r\n\r\n", 0, 9),
      ("\(ok)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 3, nil),
      ("\(ok)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", 3, nil),
      ("\(ok)Transfer-Encoding: chunked\r\n\r\n9\r\nabc", 3, nil),
      ("\(ok)Content-Length: 9\r\n", 0, nil),
      ("\(ok)", 0, nil),
      ("HTTP/1.1 200", 0, nil),
      ("HTTP/1.1 100 Continue\r\n\r\n", 0, nil),
      ("", 0, nil),
    ] as [(String, Int64, Int64?)]) func `a reply that ends before its proof is truncated`(
      ending: Delivery.Ending, reply: (String, Int64, Int64?)
    ) throws
  {
    let (text, most, length) = reply
    let server = try LoopbackServer(["/": [.raw(text, ending: ending)]])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    guard case .truncated(let url, let received, let expected) = got.failure else {
      return #expect(Bool(false), "\(String(describing: got.end))")
    }
    #expect(url == server.url("/"))
    // A reset may overtake earlier data.
    #expect(ending == .reset ? received <= most : received == most)
    #expect(expected == length || ending == .reset && expected == nil)
  }

  @Test(arguments: [
    ("\(ok)Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", ProtocolFault.unequalContentLengths),
    ("\(ok)Content-Length: 3, 4\r\n\r\nabc", .unequalContentLengths),
    ("\(ok)X: \(String(repeating: "x", count: 320_000))\r\n\r\nabc", .headerTooLarge(limit: 300 << 10)),
    (
      "\(ok)\(String(repeating: "X: \(String(repeating: "x", count: 1000))\r\n", count: 400))\r\nabc",
      .headerTooLarge(limit: 300 << 10)
    ),
    ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", .unexpectedStatus(101)),
  ]) func `a reply that contradicts itself is refused`(reply: String, fault: ProtocolFault) throws {
    let server = try LoopbackServer(["/": [.raw(reply)]])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    #expect(got.failure == .protocolError(url: server.url("/"), fault))
    #expect(got.heads.isEmpty)
  }

  @Test(arguments: [
    "hello, I am no web server\r\n",
    "\(ok)Content-Length: -3\r\n\r\nabc",
    "\(ok)Content-Length: 99999999999999999999\r\n\r\nabc",
    "\(ok)Content-Length: three\r\n\r\nabc",
    "\(ok)Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n",
    "\(ok)Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffffff\r\nabc\r\n0\r\n\r\n",
    "\(ok)Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  ]) func `a reply that is malformed is refused`(reply: String) throws {
    let server = try LoopbackServer(["/": [.raw(reply)]])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    guard case .protocolError(_, .malformed) = got.failure else {
      return #expect(Bool(false), "\(String(describing: got.end))")
    }
  }

  /// 7.88 wrote to memory of the reply before, which was freed (docs/decisions/0046).
  @Test(arguments: [" folded: 1", "\tfolded: 1", "X\rY: 1"])
  func `a reply whose header begins in the middle of a line does no harm`(line: String) throws {
    let good = Reply.text("good", headers: [HeaderField("X-Last", "x")])
    let bad = Reply.raw("\(Self.ok)\(line)\r\nContent-Length: 3\r\n\r\nbad")
    let server = try LoopbackServer(["/": (0..<8).map { $0.isMultiple(of: 2) ? good : bad }])
    let loop = try TransferLoop.forTests()
    for round in 0..<8 {
      let got = loop.exchange(ExchangeRequest(url: server.url("/")))
      if round.isMultiple(of: 2) {
        #expect(got.text == "good")
      } else if got.failure != nil {
        guard case .protocolError(_, .malformed) = got.failure else {
          return #expect(Bool(false), "\(String(describing: got.end))")
        }
      }
    }
  }

  @Test func `a handle that is good for one transfer is copied for the next`() throws {
    try CurlLibrary.load()
    let handle = try #require(EasyHandle())
    let (header, settings) = (
      JoinedHeader(TransferSettings(userAgent: "x")), TransferSettings(userAgent: "x")
    )
    var addresses: Set<UnsafeMutableRawPointer> = []
    for _ in 0..<2 {
      try "http://127.0.0.1/".withCString { url in
        try handle.prepare(
          plain: url, scheme: "http", headers: header.ending(in: "", ""), settings: settings,
          owner: HopOwner())
      }
      addresses.insert(handle.easy)
    }
    #expect(addresses.count == (CurlLibrary.handlesServeOnce ? 2 : 1))
  }

  @Test func `a HEAD is complete with its header`() throws {
    let server = try LoopbackServer(["/": [.text("hello", headers: [HeaderField("ETag", "\"a\"")])]])
    let got = try fetch(ExchangeRequest(method: .head, url: server.url("/")))
    #expect(got.end == .complete(lengthIsProven: true))
    #expect(got.head?.contentLength == 5)
    #expect(got.head?.etag?.text == "\"a\"")
    #expect(server.requests.map(\.method) == ["HEAD"])
  }

  @Test func `a large body arrives whole`() throws {
    let bytes = TestData.random(3_000_000, seed: 1)
    let server = try LoopbackServer(["/": [.file(bytes)]])
    let got = try fetch(ExchangeRequest(url: server.url("/")))
    #expect(got.body == bytes)
    #expect(got.totals.bytes == 3_000_000)
  }

  @Test func `the message of a failed connection is kept`() throws {
    let port = try LoopbackServer.deadPort()
    let got = try fetch(ExchangeRequest(url: "http://127.0.0.1:\(port)/"))
    guard case .connectFailed(_, let text) = got.failure else {
      return #expect(Bool(false), "\(String(describing: got.end))")
    }
    #expect(text.contains("127.0.0.1"))
    #expect(got.totals.requests == 0)
  }

  @Test func `a connection that breaks in its handshake does not blame certificates`() throws {
    let server = try LoopbackServer()
    let loop = try TransferLoop.forTests()
    let client = Recorder()
    _ = loop.start(ExchangeRequest(url: "https://127.0.0.1:\(server.port)/"), client: client)
    #expect(loop.run { server.log.connections == 1 })
    server.stop()
    #expect(loop.run { !client.ends.isEmpty })
    #expect(client.failure?.code == .connectFailed)
    #expect(client.failure?.traits.contains(.transient) == true)
  }

  @Test func `an invalid URL fails inside the poll`() throws {
    let loop = try TransferLoop.forTests()
    let client = Recorder()
    _ = loop.start(ExchangeRequest(url: "nonsense"), client: client)
    #expect(client.ends.isEmpty)
    #expect(loop.activeCount == 1)
    loop.poll(timeout: .zero)
    #expect(client.failure?.code == .internalError)
    #expect(loop.activeCount == 0)
  }
}
