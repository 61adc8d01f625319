import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

@Suite struct `Time runs out` {
  @Test func `for a server that says nothing`() throws {
    let server = try LoopbackServer(["/": [.text("x").held(until: "never")]])
    let got = try fetch(ExchangeRequest(url: server.url("/"))) { $0.timeScale = 0.01 }
    #expect(got.failure == .stalled(url: server.url("/"), after: .seconds(30), received: 0, expected: nil))
    #expect(got.totals.requests == 1)
  }

  @Test func `for a body that stalls`() throws {
    let server = try LoopbackServer(["/": [.text("0123456789").held(afterBody: 4, until: "never")]])
    let got = try fetch(ExchangeRequest(url: server.url("/"))) { $0.timeScale = 0.01 }
    #expect(got.failure == .stalled(url: server.url("/"), after: .seconds(30), received: 4, expected: 10))
    #expect(got.text == "0123")
  }

  @Test func `not for a body that arrives slowly`() throws {
    // 20 pauses of 30 ms with a stall limit of 300 ms.
    let server = try LoopbackServer([
      "/": [.text("01234567890123456789").dripped(bytes: 1, every: .milliseconds(30))]
    ])
    let got = try fetch(ExchangeRequest(url: server.url("/"))) { $0.timeScale = 0.01 }
    #expect(got.text == "01234567890123456789")
  }

  @Test func `for a slow body that exceeds the total limit`() throws {
    let server = try LoopbackServer(["/": [.text("0123456789").dripped(bytes: 1, every: .milliseconds(100))]])
    let request = ExchangeRequest(url: server.url("/"), timeouts: Timeouts(total: .seconds(20)))
    let got = try fetch(request) { $0.timeScale = 0.01 }
    #expect(got.failure == .timeout(url: server.url("/"), phase: .total, after: .seconds(20)))
  }

  @Test func `for a handshake that never ends, soon after its limit`() throws {
    // A server that waits for a request will not answer a TLS greeting.
    let server = try LoopbackServer()
    let url = "https://127.0.0.1:\(server.port)/"
    let started = ContinuousClock.now
    let got = try fetch(ExchangeRequest(url: url)) { $0.timeScale = 0.02 }
    let took = ContinuousClock.now - started
    #expect(got.failure == .timeout(url: url, phase: .connect, after: .seconds(10)))
    // Long before the limit as it is without the scale, however busy the machine is.
    #expect(took >= .milliseconds(200) && took < .seconds(9))
    #expect(got.totals.requests == 0)
  }

  @Test func `not while the client has no room`() throws {
    let server = try LoopbackServer(["/": [.text("0123456789").held(afterBody: 5, until: "go")]])
    let loop = try TransferLoop.forTests { $0.timeScale = 0.01 }
    let client = Recorder()
    var hasRoom = false
    client.answer = { _ in hasRoom ? .taken : .full }
    let id = loop.start(
      ExchangeRequest(url: server.url("/"), timeouts: Timeouts(stall: .seconds(10))), client: client)
    #expect(loop.run { client.pauses > 0 })
    // Five times the stall of 100 ms.
    let later = ContinuousClock.now + .milliseconds(500)
    while ContinuousClock.now < later { loop.poll(timeout: .milliseconds(50)) }
    #expect(client.ends.isEmpty)
    hasRoom = true
    server.release("go")
    loop.resume(id)
    #expect(loop.run { !client.ends.isEmpty })
    #expect(client.text == "0123456789")
    #expect(client.end == .complete(lengthIsProven: true))
  }
}

@Suite struct `Back pressure` {
  @Test(arguments: [Response.Framing.length, .chunked, .close])
  func `a client that is full again and again gets every byte once`(framing: Response.Framing) throws {
    let bytes = TestData.random(1_000_000, seed: 1)
    let server = try LoopbackServer(["/": [.status(200, body: bytes, framing: framing)]])
    let loop = try TransferLoop.forTests()
    let client = Recorder()
    var calls = 0
    client.answer = { _ in
      calls += 1
      return calls % 3 == 0 ? .taken : .full
    }
    let id = loop.start(ExchangeRequest(url: server.url("/")), client: client)
    var resumed = 0
    #expect(
      loop.run {
        if client.pauses > resumed {
          resumed = client.pauses
          loop.resume(id)
        }
        return !client.ends.isEmpty
      })
    #expect(client.body == bytes)
    #expect(client.pauses > 10)
    #expect(client.totals.bytes == 1_000_000)
  }

  @Test func `a client may stop while held bytes are offered again`() throws {
    let server = try LoopbackServer(["/": [.status(200, body: Array(repeating: 1, count: 100_000))]])
    let loop = try TransferLoop.forTests()
    let client = Recorder()
    client.answer = { [unowned client] _ in client.pauses == 0 ? .full : .stop }
    let id = loop.start(ExchangeRequest(url: server.url("/")), client: client)
    #expect(loop.run { client.pauses > 0 })
    loop.resume(id)
    #expect(loop.run { !client.ends.isEmpty })
    #expect(client.ends == [.stopped])
    #expect(loop.activeCount == 0)
  }

  @Test func `resuming an exchange that is not paused does nothing`() throws {
    let server = try LoopbackServer(["/": [.text("x")]])
    let loop = try TransferLoop.forTests()
    let client = Recorder()
    client.onCall = { loop.resume($0) }
    #expect(loop.exchange(ExchangeRequest(url: server.url("/")), client).text == "x")
    loop.resume(ExchangeID(number: 77))
    loop.poll(timeout: .zero)
  }
}

@Suite struct `Unwanted bodies` {
  private func drop() -> Recorder {
    let client = Recorder()
    client.disposition = .drop
    return client
  }

  @Test(arguments: [Response.Framing.length, .chunked])
  func `a short body is read and its connection is reused`(framing: Response.Framing) throws {
    let server = try LoopbackServer([
      "/": [.status(404, body: Array(repeating: 1, count: 5000), framing: framing)]
    ])
    let loop = try TransferLoop.forTests()
    for _ in 0..<3 {
      let got = loop.exchange(ExchangeRequest(url: server.url("/")), drop())
      #expect(got.end == .stopped)
      #expect(got.body.isEmpty)
      #expect(got.totals.bytes == 5000)
    }
    #expect(server.log.connections == 1)
  }

  @Test(arguments: [Response.Framing.length, .chunked, .close])
  func `for a long body the connection is closed`(framing: Response.Framing) throws {
    var long = Response(status: 200, body: Array(repeating: 1, count: 100_000), framing: framing)
    long.repeats = 1000
    let server = try LoopbackServer(["/": [Reply(.response(long))]])
    let got = try fetch(ExchangeRequest(url: server.url("/")), drop())
    #expect(got.end == .stopped)
    #expect(got.totals.bytes < 200_000)
  }

  @Test func `a body that never comes is not waited for`() throws {
    let server = try LoopbackServer(["/": [.text("0123").held(afterBody: 1, until: "never")]])
    let got = try fetch(ExchangeRequest(url: server.url("/")), drop()) { $0.timeScale = 0.05 }
    #expect(got.end == .stopped)
  }

  @Test func `a body that is cut off is not a failure`() throws {
    let server = try LoopbackServer(["/": [.text("0123").cut(after: 1)]])
    #expect(try fetch(ExchangeRequest(url: server.url("/")), drop()).end == .stopped)
  }

  @Test func `an exchange without a body ends in the same way`() throws {
    let server = try LoopbackServer(["/": [.status(304)]])
    #expect(try fetch(ExchangeRequest(url: server.url("/")), drop()).end == .stopped)
  }

  @Test func `a client may stop in the middle`() throws {
    var endless = Response(body: Array(repeating: 1, count: 50_000), framing: .chunked)
    endless.repeats = .max
    let server = try LoopbackServer(["/": [Reply(.response(endless))]])
    let client = Recorder()
    client.answer = { $0 > 100_000 ? .stop : .taken }
    let got = try fetch(ExchangeRequest(url: server.url("/")), client)
    #expect(got.end == .stopped)
    #expect(got.totals.bytes > 100_000)
  }
}

@Suite struct `Many exchanges` {
  @Test func `a request for a new connection gets one`() throws {
    let server = try LoopbackServer(["/": [.text("x")]])
    let loop = try TransferLoop.forTests()
    for (wantsNew, connections) in [(false, 1), (false, 1), (true, 2), (false, 2)] {
      let client = Recorder()
      var request = ExchangeRequest(url: server.url("/"))
      request.wantsNewConnection = wantsNew
      _ = loop.start(request, client: client)
      #expect(loop.run { !client.ends.isEmpty })
      #expect(server.log.connections == connections)
    }
  }

  @Test func `a host gets no more connections than its limit`() throws {
    let server = try LoopbackServer(["*": [.text("x").held(until: "go")]])
    let loop = try TransferLoop.forTests { $0.hosts = HostLimits(connections: ["127.0.0.1": 3]) }
    let clients = (0..<10).map { _ in Recorder() }
    for (number, client) in clients.enumerated() {
      _ = loop.start(ExchangeRequest(url: server.url("/\(number)")), client: client)
    }
    #expect(loop.run { server.log.activeRequests == 3 })
    for _ in 0..<5 { loop.poll(timeout: .milliseconds(20)) }
    #expect(server.log.requests.count == 3)
    server.release("go")
    #expect(loop.run { clients.allSatisfy { !$0.ends.isEmpty } })
    #expect(server.log.peakConnections == 3)
    #expect(server.log.connections == 3)
    #expect(clients.allSatisfy { $0.text == "x" })
    #expect(loop.activeCount == 0)
  }

  @Test func `all hosts together get no more than the total`() throws {
    let servers = try (0..<3).map { _ in try LoopbackServer(["*": [.text("x").held(until: "go")]]) }
    let loop = try TransferLoop.forTests { $0.totalConnections = 4 }
    let clients = (0..<12).map { _ in Recorder() }
    for (number, client) in clients.enumerated() {
      let host = number % 2 == 0 ? "127.0.0.1" : "localhost"
      _ = loop.start(
        ExchangeRequest(url: "http://\(host):\(servers[number % 3].port)/"), client: client)
    }
    #expect(loop.run { servers.reduce(0) { $0 + $1.log.activeRequests } == 4 })
    for _ in 0..<5 { loop.poll(timeout: .milliseconds(20)) }
    #expect(servers.reduce(0) { $0 + $1.log.requests.count } == 4)
    for server in servers { server.release("go") }
    #expect(loop.run { clients.allSatisfy { !$0.ends.isEmpty } })
  }

  @Test func `a thousand exchanges share eight connections`() throws {
    let server = try LoopbackServer(["*": [.text("x")]])
    let loop = try TransferLoop.forTests()
    let clients = (0..<1000).map { _ in Recorder() }
    for (number, client) in clients.enumerated() {
      _ = loop.start(ExchangeRequest(url: server.url("/\(number)")), client: client)
    }
    #expect(loop.run(seconds: 60) { loop.activeCount == 0 })
    #expect(clients.allSatisfy { $0.end == .complete(lengthIsProven: true) })
    #expect(server.log.connections <= 8)
  }

  @Test func `an idle connection that the server has closed causes no failure`() throws {
    let server = try LoopbackServer(["/": [.text("x").delivered { $0.ending = .close }]])
    let loop = try TransferLoop.forTests()
    for _ in 0..<5 {
      #expect(loop.exchange(ExchangeRequest(url: server.url("/"))).text == "x")
      #expect(server.wait { $0.openConnections == 0 })
    }
  }

  @Test(arguments: [Delivery.Ending.close, .reset])
  func `a connection that breaks when it is reused causes no failure`(ending: Delivery.Ending) throws {
    let server = try LoopbackServer(["/": [.text("first"), .raw("", ending: ending), .text("second")]])
    let loop = try TransferLoop.forTests()
    #expect(loop.exchange(ExchangeRequest(url: server.url("/"))).text == "first")
    #expect(loop.exchange(ExchangeRequest(url: server.url("/"))).text == "second")
    #expect(server.log.connections == 2)
  }

  @Test func `a client may start another exchange from inside a call`() throws {
    let server = try LoopbackServer(["/a": [.text("a")], "/b": [.text("b")]])
    let loop = try TransferLoop.forTests()
    let (first, second) = (Recorder(), Recorder())
    var isStarted = false
    first.onCall = { _ in
      if !isStarted { _ = loop.start(ExchangeRequest(url: server.url("/b")), client: second) }
      isStarted = true
    }
    _ = loop.start(ExchangeRequest(url: server.url("/a")), client: first)
    #expect(loop.run { !first.ends.isEmpty && !second.ends.isEmpty })
    #expect(second.text == "b")
  }

  @Test(arguments: 1...5) func `a client may cancel from inside any call`(call: Int) throws {
    let server = try LoopbackServer(["*": [.redirect("/end")], "/end": [.text("end")]])
    let loop = try TransferLoop.forTests()
    let client = Recorder()
    var calls = 0
    client.onCall = { id in
      calls += 1
      if calls == call { loop.cancel(id) }
    }
    _ = loop.start(ExchangeRequest(url: server.url("/")), client: client)
    #expect(loop.run { loop.activeCount == 0 })
    for _ in 0..<3 { loop.poll(timeout: .milliseconds(10)) }
    #expect(calls == call)
    #expect(client.ends.isEmpty)
  }

  @Test func `a client may cancel another exchange from inside a call, and its connection is closed`() throws
  {
    var endless = Response(body: Array("b".utf8), framing: .chunked)
    endless.repeats = .max
    let server = try LoopbackServer([
      "/a": [.text("a")], "/b": [Reply(.response(endless)).dripped(bytes: 1, every: .milliseconds(5))],
    ])
    let loop = try TransferLoop.forTests()
    let (first, second) = (Recorder(), Recorder())
    let endlessOne = loop.start(ExchangeRequest(url: server.url("/b")), client: second)
    #expect(loop.run { !second.body.isEmpty })
    first.onCall = { _ in loop.cancel(endlessOne) }
    #expect(loop.exchange(ExchangeRequest(url: server.url("/a")), first).text == "a")
    #expect(second.ends.isEmpty)
    #expect(loop.activeCount == 0)
    #expect(server.wait { $0.openConnections <= 1 })
  }

  @Test func `cancelling makes room for waiting exchanges`() throws {
    let server = try LoopbackServer(["/a": [.text("a").held(until: "never")], "/b": [.text("b")]])
    let loop = try TransferLoop.forTests { $0.hosts = HostLimits(otherwise: 1) }
    let hung = loop.start(ExchangeRequest(url: server.url("/a")), client: Recorder())
    let skipped = loop.start(ExchangeRequest(url: server.url("/a")), client: Recorder())
    let last = Recorder()
    _ = loop.start(ExchangeRequest(url: server.url("/b")), client: last)
    #expect(loop.run { server.log.activeRequests == 1 })
    loop.cancel(skipped)
    loop.cancel(hung)
    #expect(loop.run { !last.ends.isEmpty })
    #expect(last.text == "b")
    #expect(server.requests(to: "/a").count == 1)
  }

  @Test func `a loop may be released while exchanges are under way`() throws {
    let server = try LoopbackServer(["/": [.text("a").held(until: "never")]])
    do {
      let loop = try TransferLoop.forTests()
      _ = loop.start(ExchangeRequest(url: server.url("/")), client: Recorder())
      #expect(loop.run { server.log.activeRequests == 1 })
    }
    #expect(server.wait { $0.openConnections == 0 || $0.activeRequests == 1 })
  }
}

@Suite struct `Waiting` {
  @Test func `a wake from another thread ends the wait`() throws {
    let loop = try TransferLoop.forTests()
    let waker = loop.waker
    let started = ContinuousClock.now
    Thread.detachNewThread { waker.wake() }
    loop.poll(timeout: .seconds(20))
    #expect(ContinuousClock.now - started < .seconds(10))
  }

  @Test func `an earlier wake counts`() throws {
    let loop = try TransferLoop.forTests()
    loop.waker.wake()
    let started = ContinuousClock.now
    loop.poll(timeout: .seconds(20))
    #expect(ContinuousClock.now - started < .seconds(10))
  }

  @Test func `a waker may outlive its loop`() throws {
    var loop: TransferLoop? = try TransferLoop.forTests()
    let waker = loop?.waker
    loop = nil
    waker?.wake()
  }

  @Test func `without anything to do the wait lasts as long as requested`() throws {
    let loop = try TransferLoop.forTests()
    // A signal, for example from the end of another test's child, may shorten a wait; this does no harm.
    let hasLasted = (0..<20).contains { _ in
      let started = ContinuousClock.now
      loop.poll(timeout: .milliseconds(100))
      return ContinuousClock.now - started >= .milliseconds(95)
    }
    #expect(hasLasted)
  }
}
