import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

/// Many sources are asked at once; every reply that is not a plain 304 continues like a new request.
@Suite struct `A round` {
  private static let body = Array("the body\n".utf8)
  private static let conditions = ["If-None-Match: \"1\""]

  private let server: LoopbackServer
  private let paths: [String]

  init() throws {
    server = try LoopbackServer(["*": [.file(Self.body, etag: "\"1\"")]])
    paths = (0..<40).map { "/f\($0)" }
  }

  private func questions(connections: Int = 8) throws -> PlainQuestions {
    var texts: [UInt8] = []
    let places = paths.map { path in
      defer { texts += Array(server.url(path).utf8) + [0] + Array(Self.conditions[0].utf8) + [0, 0] }
      return PlainQuestions.Place(text: UInt32(texts.count), host: 0)
    }
    texts += [0, 0, 0]
    let hosts = [PlainQuestions.Host(name: "127.0.0.1", connections: connections)]
    return try #require(texts.withUnsafeBytes { PlainQuestions(hosts: hosts, places: places, texts: $0) })
  }

  private var settings: TransferSettings {
    var settings = TransferSettings(userAgent: "syncmake/test")
    settings.timeScale = 0.2
    return settings
  }

  /// For rounds that are to be complete: a reply is late after two seconds, and not after a part of that.
  private var patient: TransferSettings {
    var settings = settings
    settings.timeScale = TestTools.slowness
    return settings
  }

  private func request(_ path: String, etag: String = "\"1\"") -> ExchangeRequest {
    ExchangeRequest(
      url: server.url(path), conditions: Validators(etag: EntityTag(etag), url: server.url(path)))
  }

  /// An open round, and a loop that continues it.
  private func handedOver(jobs: Int = 16) throws -> TransferLoop {
    let round = try RevalidationRound(try questions(), settings, jobs: jobs)
    #expect(round.run { false } != .allConfirmed)
    return try TransferLoop(settings, after: round.handOver())
  }

  /// The result of each path's exchange, with `count` requests at a time in `loop`, from the first path or the
  /// last.
  private func fetchAll(_ loop: TransferLoop, at once: Int = 40, backwards: Bool = false) -> [Recorder] {
    let clients = paths.map { _ in Recorder() }
    let order = backwards ? Array(paths.indices.reversed()) : Array(paths.indices)
    var next = 0
    for client in clients {
      client.onCall = { [unowned client] _ in if client.head?.status == 304 { client.disposition = .drop } }
    }
    loop.run {
      let ended = clients.count { !$0.ends.isEmpty }
      while next < clients.count, next - ended < once {
        _ = loop.start(request(paths[order[next]]), client: clients[order[next]])
        next += 1
      }
      return ended == clients.count
    }
    return clients
  }

  @Test func `in which all sources confirm is sufficient`() throws {
    let round = try RevalidationRound(try questions(), patient, jobs: 16)
    #expect(round.run { false } == .allConfirmed)
    #expect(server.requests.count == paths.count)
    #expect(Set(server.requests.map(\.path)) == Set(paths))
    for request in server.requests {
      #expect(request.method == "GET")
      #expect(request.header("If-None-Match") == "\"1\"")
      #expect(request.header("Accept-Encoding") == "identity")
      #expect(request.header("User-Agent") == "syncmake/test")
    }
  }

  @Test func `sends the same requests as a loop`() throws {
    let round = try RevalidationRound(try questions(), patient, jobs: 1)
    #expect(round.run { false } == .allConfirmed)
    let quick = try #require(server.requests.first)
    server.clearLog()
    let loop = try TransferLoop(settings)
    let client = Recorder()
    _ = loop.start(request(quick.path), client: client)
    loop.run { !client.ends.isEmpty }
    let ordinary = try #require(server.requests.first)
    // The order of fields with different names has no meaning (RFC 9110 section 5.3).
    func lines(_ request: LoggedRequest) -> [String] {
      request.headers.map { "\($0.name): \($0.value)" }.sorted()
    }
    #expect(lines(ordinary) == lines(quick))
  }

  @Test(arguments: [1, 3, 8])
  func `respects a host's connection limit`(connections: Int) throws {
    server.setScript(["*": [Reply.status(304).delayed(.milliseconds(5))]])
    let round = try RevalidationRound(try questions(connections: connections), patient, jobs: 16)
    #expect(round.run { false } == .allConfirmed)
    #expect(Set(server.requests.map(\.connection)).count == connections)
  }

  /// Whatever one source does, no source is asked twice, and each request gets its own answer.
  @Test(arguments: [0, 1, 20, 39])
  func `continues if a source has something new`(changed: Int) throws {
    let new = Array(String(repeating: "new ", count: 100_000).utf8)
    server.on(paths[changed], .file(new, etag: "\"2\""))
    let clients = fetchAll(try handedOver())
    for (index, client) in clients.enumerated() {
      #expect(client.head?.status == (index == changed ? 200 : 304), "\(index)")
      #expect(client.totals.requests == 1, "\(index)")
      #expect(client.lateCalls == 0)
    }
    #expect(clients[changed].body == new)
    #expect(clients[changed].end == .complete(lengthIsProven: true))
    #expect(server.requests.count == paths.count)
  }

  /// Earlier exchanges in the queue wait for connections that only a transfer's own exchange could free.
  @Test(arguments: [1, 2, 9])
  func `does not stop if other exchanges come first`(once: Int) throws {
    server.setScript(["*": [.file(Self.body, etag: "\"2\"")]])
    let loop = try handedOver()
    let began = ContinuousClock.now
    let clients = fetchAll(loop, at: once, backwards: true)
    #expect(clients.allSatisfy { $0.body == Self.body })
    #expect(ContinuousClock.now - began < .seconds(5))
  }

  @Test func `answers each of several equal questions`() throws {
    let url = server.url("/same")
    var texts: [UInt8] = []
    let places = (0..<6).map { _ in
      defer { texts += Array(url.utf8) + [0] + Array(Self.conditions[0].utf8) + [0, 0] }
      return PlainQuestions.Place(text: UInt32(texts.count), host: 0)
    }
    texts += [0, 0, 0]
    let hosts = [PlainQuestions.Host(name: "127.0.0.1", connections: 2)]
    let questions = try #require(
      texts.withUnsafeBytes { PlainQuestions(hosts: hosts, places: places, texts: $0) })
    let fresh = Reply.file(Self.body, etag: "\"1\"")
    server.on("/same", fresh, fresh, fresh, .file(Self.body, etag: "\"2\""))
    let round = try RevalidationRound(questions, settings, jobs: 2)
    #expect(round.run { false } == .someOpen)
    #expect(round.open.count == 3)
    let loop = try TransferLoop(settings, after: round.handOver())
    let clients = (0..<6).map { _ in Recorder() }
    for client in clients { _ = loop.start(request("/same"), client: client) }
    loop.run { clients.allSatisfy { !$0.ends.isEmpty } }
    #expect(clients.count { $0.head?.status == 304 } == 3)
    #expect(clients.count { $0.body == Self.body } == 3)
    #expect(server.requests.count == 6)
  }

  @Test(arguments: ["404", "empty", "another tag", "redirect", "cut", "reset", "garbage", "interim", "flood"])
  func `continues if a source gives any other answer`(what: String) throws {
    let reply: Reply =
      switch what {
      case "404": .text("no such file", status: 404)
      case "empty": .status(200)
      case "another tag": .status(304, headers: [HeaderField("ETag", "\"2\"")])
      case "redirect": .redirect("/f0")
      case "cut": .file(Self.body, etag: "\"2\"").cut(after: 4)
      case "reset": .raw("", ending: .reset)
      case "garbage": .raw("what?\r\n\r\n")
      case "interim": .raw("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n")
      default:
        .raw(
          "HTTP/1.1 304 X\r\n"
            + (0..<400).map { "X-\($0): \(String(repeating: "y", count: 900))\r\n" }.joined())
      }
    server.on(paths[7], reply)
    let early = fetchAll(try handedOver())[7]
    // The same requests by a loop alone.
    let loop = try TransferLoop(settings)
    let alone = Recorder()
    alone.onCall = { [unowned alone] _ in if alone.head?.status == 304 { alone.disposition = .drop } }
    _ = loop.start(request(paths[7]), client: alone)
    loop.run { !alone.ends.isEmpty }
    #expect(early.end == alone.end)
    #expect(early.heads == alone.heads)
    #expect(early.body == alone.body)
    #expect(early.totals.bytes == alone.totals.bytes)
  }

  @Test func `does not wait long for an answer, and a loop keeps its time`() throws {
    server.on(paths[3], Reply.file(Self.body, etag: "\"2\"").delayed(.milliseconds(2500)))
    let began = ContinuousClock.now
    let loop = try handedOver()
    // Two seconds, scaled, with room for a busy machine.
    #expect(ContinuousClock.now - began < .milliseconds(2400))
    let clients = fetchAll(loop)
    #expect(clients[3].body == Self.body)
    #expect(server.requests.count == paths.count)
  }

  @Test func `ends when it is no longer wanted`() throws {
    server.setScript(["*": [Reply.status(304).held(until: "never")]])
    let round = try RevalidationRound(try questions(), settings, jobs: 16)
    #expect(round.run { true } == .open)
    _ = round.handOver()
  }

  @Test func `has kept answers that do not block connections`() throws {
    server.setScript(["*": [Reply.file(Self.body, etag: "\"2\"")]])
    let round = try RevalidationRound(try questions(), settings, jobs: 16)
    #expect(round.run { false } != .allConfirmed)
    let early = round.handOver()
    let loop = try TransferLoop(settings, after: early)
    #expect(!early.live.isEmpty)
    // The kept answers to other questions hold no connection.
    let client = Recorder()
    _ = loop.start(request("/other"), client: client)
    #expect(loop.run { !client.ends.isEmpty })
    #expect(client.body == Self.body)
  }

  @Test func `has kept answers for exactly the same questions only`() throws {
    server.on(paths[39], .status(500))
    let loop = try handedOver()
    let (other, plain, head) = (Recorder(), Recorder(), Recorder())
    _ = loop.start(request(paths[0], etag: "\"other\""), client: other)
    _ = loop.start(ExchangeRequest(url: server.url(paths[1])), client: plain)
    _ = loop.start(
      ExchangeRequest(
        method: .head, url: server.url(paths[2]),
        conditions: Validators(etag: EntityTag("\"1\""), url: server.url(paths[2]))), client: head)
    loop.run(seconds: 15) { !other.ends.isEmpty && !plain.ends.isEmpty && !head.ends.isEmpty }
    #expect(other.head?.status == 200)
    #expect(plain.head?.status == 200)
    #expect(head.head?.status == 304)
    for path in paths.prefix(3) { #expect(server.requests(to: path).count == 2) }
  }

  @Test func `can be cancelled at every call, and before the first`() throws {
    for calls in 0...4 {
      server.on(paths[5], .file(Self.body, etag: "\"2\""))
      let loop = try handedOver()
      for path in [paths[5], paths[0]] {
        let client = Recorder()
        var left = calls
        var isCancelled = false
        client.onCall = { id in
          left -= 1
          if left == 0 {
            loop.cancel(id)
            isCancelled = true
          }
        }
        let id = loop.start(request(path), client: client)
        if calls == 0 {
          loop.cancel(id)
          isCancelled = true
        }
        loop.run(seconds: 2) { isCancelled || !client.ends.isEmpty }
        for _ in 0..<3 { loop.poll(timeout: .milliseconds(5)) }
        // With the last call the exchange is over in any case.
        #expect(isCancelled || client.ends.count == 1)
        #expect(calls != 0 || client.ends.isEmpty)
        #expect(client.lateCalls == 0)
      }
      // Whatever was cancelled, every connection can be used again.
      let clients = (0..<8).map { _ in Recorder() }
      for client in clients { _ = loop.start(request("/other"), client: client) }
      #expect(loop.run(seconds: 5) { clients.allSatisfy { !$0.ends.isEmpty } })
      #expect(loop.activeCount == 0)
    }
  }
}
