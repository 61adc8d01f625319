import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

@Suite struct RequestTraceTests {
  private func traced(_ settings: inout TransferSettings) { settings.tracesRequests = true }

  @Test func `every request is traced with its connection, and each redirect separately`() throws {
    let server = try LoopbackServer(["/a": [.redirect("/b")], "/b": [.text("0123456789")]])
    let got = try fetch(ExchangeRequest(url: server.url("/a")), change: traced)
    #expect(got.traces.map(\.url) == [server.url("/a"), server.url("/b")])
    #expect(got.traces.map(\.status) == [302, 200])
    #expect(got.traces.map(\.connection) == [1, 1])
    #expect(got.traces.map(\.isFirstOnConnection) == [true, false])
    #expect(got.traces.map(\.method) == ["GET", "GET"])
    #expect(got.traces.map(\.bytes).last == 10)
    for trace in got.traces {
      let sent = try #require(trace.untilSent)
      let replied = try #require(trace.untilReply)
      #expect(.zero <= sent && sent <= replied && replied <= trace.total)
    }
  }

  @Test func `simultaneous connections have different numbers`() throws {
    let server = try LoopbackServer(["*": [.text("x").held(until: "go")]])
    let loop = try TransferLoop.forTests(traced)
    let clients = (0..<3).map { _ in Recorder() }
    for client in clients { _ = loop.start(ExchangeRequest(url: server.url("/a")), client: client) }
    #expect(loop.run { server.requests.count == 3 })
    server.release("go")
    #expect(loop.run { clients.allSatisfy { !$0.ends.isEmpty } })
    #expect(clients.compactMap { $0.traces.first?.connection }.sorted() == [1, 2, 3])
  }

  @Test func `a request that was cancelled or never sent is traced, too`() throws {
    let server = try LoopbackServer(["/": [.text("0123456789").held(afterBody: 4, until: "never")]])
    let loop = try TransferLoop.forTests(traced)
    let client = Recorder()
    let id = loop.start(ExchangeRequest(url: server.url("/")), client: client)
    #expect(loop.run { client.text == "0123" })
    _ = loop.cancel(id)
    #expect(client.traces.map(\.bytes) == [4])
    let port = try LoopbackServer.deadPort()
    let dead = try fetch(ExchangeRequest(url: "http://127.0.0.1:\(port)/"), change: traced)
    #expect(dead.traces.count == 1)
    #expect(dead.traces.first?.connection == nil && dead.traces.first?.untilSent == nil)
  }

  @Test func `without a request for times there are no traces`() throws {
    let server = try LoopbackServer(["/": [.text("x")]])
    #expect(try fetch(ExchangeRequest(url: server.url("/"))).traces.isEmpty)
  }
}

private func fetch(
  _ request: ExchangeRequest, change: (inout TransferSettings) -> Void
) throws -> Recorder { try fetch(request, Recorder(), change) }
