import SyncModel
import SyncTestSupport
import Testing
import Transfer

@testable import Execution

/// What every ``ExchangeNetwork`` does, with sockets or by a script.
@Suite struct `A network` {
  enum Kind: CaseIterable { case sockets, script }

  /// A network, and a server with `script` that it reaches.
  private struct Bench {
    let network: any ExchangeNetwork
    private let server: LoopbackServer?
    private var base = "http://data.example"

    init(_ kind: Kind, _ script: [String: [Reply]]) throws {
      switch kind {
      case .sockets:
        let server = try LoopbackServer(script)
        self.server = server
        base = server.url()
        network = try TransferLoop(TransferSettings(userAgent: "syncmake/test"))
      case .script:
        server = nil
        network = ScriptedNetwork(script)
      }
    }

    func url(_ path: String) -> String { base + path }

    var requests: [LoggedRequest] { server?.requests ?? (network as? ScriptedNetwork)?.requests ?? [] }

    func release(_ gate: String) {
      server?.release(gate)
      (network as? ScriptedNetwork)?.release(gate)
    }

    /// Polls until `isDone`, for ten seconds at most; returns whether it is.
    func poll(until isDone: () -> Bool) -> Bool {
      let end = ContinuousClock.now + .seconds(10)
      while !isDone() {
        guard ContinuousClock.now < end else { return false }
        network.poll(timeout: .milliseconds(200))
      }
      return true
    }

    /// One exchange from its start to its end.
    func exchange(_ request: ExchangeRequest, _ client: Listener = Listener()) -> Listener {
      _ = network.start(request, client: client)
      #expect(client.heads.isEmpty && client.end == nil, "nothing is told before the first poll")
      #expect(poll { client.end != nil }, "the exchange does not end")
      return client
    }
  }

  /// A client that remembers what it is told, and answers as it was told to.
  private final class Listener: ExchangeClient {
    var disposition = BodyDisposition.take
    /// Gets the number of bytes taken before.
    var answer: (Int) -> BodyReception = { _ in .taken }
    /// Called after each event but a note.
    var onEvent: () -> Void = {}
    private(set) var notes: [ExchangeNote] = []
    private(set) var heads: [ResponseHead] = []
    private(set) var body: [UInt8] = []
    private(set) var pauses = 0
    private(set) var end: ExchangeEnd?
    private(set) var totals = ExchangeTotals()
    private(set) var lateEvents = 0

    func exchange(_ id: ExchangeID, note: ExchangeNote) {
      if end != nil { lateEvents += 1 }
      notes.append(note)
    }

    func exchange(_ id: ExchangeID, received head: ResponseHead) -> BodyDisposition {
      if end != nil { lateEvents += 1 }
      heads.append(head)
      onEvent()
      return disposition
    }

    func exchange(_ id: ExchangeID, received bytes: UnsafeRawBufferPointer) -> BodyReception {
      if end != nil { lateEvents += 1 }
      let reception = answer(body.count)
      if reception == .taken { body += bytes }
      if reception == .full { pauses += 1 }
      onEvent()
      return reception
    }

    func exchange(_ id: ExchangeID, traced trace: RequestTrace) {}

    func exchange(_ id: ExchangeID, ended end: ExchangeEnd, totals: ExchangeTotals) {
      if self.end != nil { lateEvents += 1 }
      self.end = end
      self.totals = totals
      onEvent()
    }
  }

  private static let text = Array("the quick brown fox".utf8)
  private static let file = ServedFile(
    bytes: text, etag: "\"1\"", lastModified: "Sat, 21 Nov 2026 10:00:00 GMT")

  @Test(arguments: Kind.allCases) func `passes on a reply with its body`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a": [Reply(.file(Self.file))]])
    let url = bench.url("/a")
    let client = bench.exchange(ExchangeRequest(url: url))
    #expect(
      client.notes == [
        .request(method: "GET", url: url, conditions: []), .response(status: 200, url: url, length: 19),
      ])
    let head = try #require(client.heads.first)
    #expect(head.status == 200 && head.url == url && head.etag == EntityTag("\"1\""))
    #expect(head.lastModified == "Sat, 21 Nov 2026 10:00:00 GMT" && head.contentLength == 19)
    #expect(head.version == 1 && head.endIsProvable)
    #expect(client.body == Self.text)
    #expect(client.end == .complete(lengthIsProven: true))
    #expect(client.totals == ExchangeTotals(bytes: 19, requests: 1))
    #expect(bench.requests.map(\.target) == ["/a"])
  }

  @Test(arguments: Kind.allCases) func `sends conditions, and passes on a 304`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a": [Reply(.file(Self.file))]])
    var request = ExchangeRequest(url: bench.url("/a"))
    request.conditions = Validators(etag: EntityTag("\"1\""), url: request.url)
    let client = bench.exchange(request)
    #expect(
      client.notes.first == .request(method: "GET", url: request.url, conditions: ["If-None-Match: \"1\""]))
    #expect(client.heads.map(\.status) == [304])
    #expect(client.body.isEmpty && client.end == .complete(lengthIsProven: true))
    #expect(bench.requests.first?.header("If-None-Match") == "\"1\"")
  }

  @Test(arguments: Kind.allCases) func `asks for the rest of a body`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a": [Reply(.file(Self.file))]])
    var request = ExchangeRequest(url: bench.url("/a"))
    request.resume = ResumePoint(
      offset: 4, total: 19, etag: EntityTag("\"1\""), url: request.url)
    let client = bench.exchange(request)
    #expect(client.heads.first?.contentRange == "bytes 4-18/19")
    #expect(client.heads.map(\.status) == [206] && client.heads.first?.contentLength == 15)
    #expect(client.body == Array(Self.text[4...]))
    #expect(client.end == .complete(lengthIsProven: true))
  }

  @Test(arguments: Kind.allCases) func `sends the request's own headers`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a?b=c": [.text("x")]])
    let headers = [RequestHeader(name: "X-Kind", value: "raw")]
    let client = bench.exchange(ExchangeRequest(url: bench.url("/a?b=c"), headers: headers))
    #expect(client.body == Array("x".utf8))
    #expect(bench.requests.first?.header("X-Kind") == "raw")
    #expect(bench.requests.first?.header("Accept-Encoding") == "identity")
  }

  @Test(arguments: Kind.allCases) func `has no body for HEAD`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a": [Reply(.file(Self.file))]])
    let client = bench.exchange(ExchangeRequest(method: .head, url: bench.url("/a")))
    #expect(client.heads.first?.contentLength == 19)
    #expect(client.body.isEmpty && client.end == .complete(lengthIsProven: true))
  }

  @Test(arguments: Kind.allCases) func `drops the body of a 404 that nobody wants`(_ kind: Kind) throws {
    let bench = try Bench(kind, [:])
    let client = Listener()
    client.disposition = .drop
    _ = bench.exchange(ExchangeRequest(url: bench.url("/none")), client)
    #expect(client.heads.map(\.status) == [404])
    #expect(client.body.isEmpty && client.end == .stopped)
    #expect(client.totals.requests == 1)
  }

  @Test(arguments: Kind.allCases) func `reports where a body was cut off`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a": [Reply(.file(Self.file)).cut(after: 7)]])
    let client = bench.exchange(ExchangeRequest(url: bench.url("/a")))
    #expect(client.body == Array(Self.text[..<7]))
    #expect(client.end == .failed(.truncated(url: bench.url("/a"), received: 7, expected: 19)))
    #expect(client.totals == ExchangeTotals(bytes: 7, requests: 1))
  }

  @Test(arguments: Kind.allCases, [nil, 3]) func `reports a chunked body, whole or cut off`(
    _ kind: Kind, _ cut: Int?
  ) throws {
    var reply = Reply.status(200, body: Self.text, framing: .chunked)
    if let cut { reply = reply.cut(after: cut) }
    let bench = try Bench(kind, ["/a": [reply]])
    let client = bench.exchange(ExchangeRequest(url: bench.url("/a")))
    #expect(client.heads.first?.contentLength == nil)
    #expect(client.body == Array(Self.text[..<(cut ?? 19)]))
    let url = bench.url("/a")
    #expect(
      client.end
        == (cut.map { .failed(.truncated(url: url, received: Int64($0), expected: nil)) }
          ?? .complete(lengthIsProven: true)))
  }

  @Test(arguments: Kind.allCases) func `proves nothing by the end of a connection`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a": [.status(200, body: Self.text, framing: .close)]])
    let client = bench.exchange(ExchangeRequest(url: bench.url("/a")))
    #expect(client.heads.first?.endIsProvable == false)
    #expect(client.body == Self.text)
    #expect(client.end == .complete(lengthIsProven: false))
  }

  @Test(arguments: Kind.allCases) func `offers a piece again after a pause`(_ kind: Kind) throws {
    let bytes = TestData.random(100_000, seed: 28)
    let bench = try Bench(kind, ["/a": [.file(bytes)]])
    let client = Listener()
    var hasRoom = false
    client.answer = { _ in
      defer { hasRoom.toggle() }
      return hasRoom ? .taken : .full
    }
    let id = bench.network.start(ExchangeRequest(url: bench.url("/a")), client: client)
    #expect(bench.poll { client.pauses == 1 })
    // Paused: no poll offers anything.
    for _ in 0..<3 { bench.network.poll(timeout: .milliseconds(1)) }
    #expect(client.pauses == 1 && client.body.isEmpty && client.end == nil)
    var resumed = 0
    #expect(
      bench.poll {
        if client.pauses > resumed {
          resumed = client.pauses
          bench.network.resume(id)
        }
        return client.end != nil
      })
    #expect(client.body == bytes && client.pauses > 3)
    #expect(client.totals.bytes == 100_000)
  }

  @Test(arguments: Kind.allCases) func `ends when the client stops the body`(_ kind: Kind) throws {
    let bench = try Bench(kind, ["/a": [.file(TestData.random(100_000, seed: 28))]])
    let client = Listener()
    client.answer = { $0 == 0 ? .taken : .stop }
    _ = bench.exchange(ExchangeRequest(url: bench.url("/a")), client)
    #expect(client.end == .stopped)
    #expect(!client.body.isEmpty && client.body.count < 100_000)
  }

  @Test(arguments: Kind.allCases) func `tells nothing of a cancelled exchange, except its cost`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind, ["/a": [.file(Self.text).held(afterBody: 5, until: "go")]])
    let client = Listener()
    let id = bench.network.start(ExchangeRequest(url: bench.url("/a")), client: client)
    #expect(bench.poll { client.body.count == 5 })
    #expect(bench.network.cancel(id) == ExchangeTotals(bytes: 5, requests: 1))
    #expect(bench.network.cancel(id) == ExchangeTotals())
    bench.release("go")
    for _ in 0..<3 { bench.network.poll(timeout: .milliseconds(1)) }
    #expect(client.body.count == 5 && client.end == nil)
    // Before the first poll nothing was asked.
    let other = bench.network.start(ExchangeRequest(url: bench.url("/b")), client: client)
    #expect(bench.network.cancel(other) == ExchangeTotals())
    bench.network.poll(timeout: .milliseconds(1))
    #expect(client.heads.count == 1 && bench.requests.count == 1)
  }

  @Test(arguments: Kind.allCases) func `lets a client cancel itself, and start another exchange`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind, ["/a": [.file(Self.text)], "/b": [.text("b")]])
    let (first, second) = (Listener(), Listener())
    var id: ExchangeID?
    first.onEvent = { [network = bench.network] in
      guard let first = id else { return }
      id = nil
      network.cancel(first)
      _ = network.start(ExchangeRequest(url: bench.url("/b")), client: second)
    }
    id = bench.network.start(ExchangeRequest(url: bench.url("/a")), client: first)
    #expect(bench.poll { second.end != nil })
    #expect(first.heads.count == 1 && first.body.isEmpty && first.end == nil)
    #expect(second.body == Array("b".utf8))
  }

  @Test(arguments: Kind.allCases) func `has many exchanges under way, each with its own end`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind, ["/held": [.text("x").held(until: "go")], "/quick": [.text("y")]])
    let (held, quick) = (Listener(), Listener())
    let first = bench.network.start(ExchangeRequest(url: bench.url("/held")), client: held)
    let second = bench.network.start(ExchangeRequest(url: bench.url("/quick")), client: quick)
    #expect(first != second)
    #expect(bench.poll { quick.end != nil })
    #expect(held.heads.isEmpty)
    bench.release("go")
    #expect(bench.poll { held.end != nil })
    #expect(held.lateEvents + quick.lateEvents == 0)
  }

  @Test(arguments: Kind.allCases) func `refuses what is no URL of the web, in the next poll`(
    _ kind: Kind
  ) throws {
    let bench = try Bench(kind, [:])
    let client = bench.exchange(ExchangeRequest(url: "gopher://data.example/a"))
    #expect(
      client.end
        == .failed(.internalError("this is no URL that can be fetched: gopher://data.example/a")))
    #expect(client.totals == ExchangeTotals())
  }

  @Test(arguments: Kind.allCases) func `does not wait after it was woken`(_ kind: Kind) throws {
    let bench = try Bench(kind, [:])
    #expect(bench.network.waker.wake())
    let began = ContinuousClock.now
    bench.network.poll(timeout: .seconds(30))
    #expect(ContinuousClock.now - began < .seconds(20))
    #expect(bench.network.takeStreamHosts().isEmpty)
  }

  @Test func `by a script lets the time of a poll pass, unless something happens`() {
    let clock = ManualClock()
    let network = ScriptedNetwork(["/a": [.text("x")]], clock: clock)
    let began = clock.monotonic()
    network.poll(timeout: .seconds(5))
    #expect(clock.monotonic() - began == .seconds(5))
    network.waker.wake()
    network.poll(timeout: .seconds(5))
    _ = network.start(ExchangeRequest(url: "http://data.example/a"), client: Listener())
    network.poll(timeout: .seconds(5))
    #expect(clock.monotonic() - began == .seconds(5))
  }
}
