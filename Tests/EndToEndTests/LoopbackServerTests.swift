import SyncTestSupport
import Testing

/// Every other test trusts this server, so its replies are checked with curl.
@Suite struct LoopbackServerTests {
  @Test func `a normal file answers conditions and ranges`() throws {
    let server = try LoopbackServer([
      "/a": [.file(Array("hello world".utf8), etag: "\"v1\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")]
    ])
    #expect(try curl(server, "/a").body == "hello world")
    #expect(try curl(server, "/a", "-H", "If-None-Match: \"v1\"").status == "304")
    #expect(try curl(server, "/a", "-H", "If-None-Match: W/\"v1\"").status == "304")
    #expect(try curl(server, "/a", "-H", "If-None-Match: \"v2\"").status == "200")
    let since = "If-Modified-Since: Sat, 01 Jan 2022 00:00:00 GMT"
    #expect(try curl(server, "/a", "-H", since).status == "304")
    #expect(try curl(server, "/a", "-H", since, "-H", "If-None-Match: \"v2\"").status == "200")
    let part = try curl(server, "/a", "-H", "Range: bytes=6-", "-H", "If-Range: \"v1\"")
    #expect(part.status == "206" && part.body == "world")
    let stale = try curl(server, "/a", "-H", "Range: bytes=6-", "-H", "If-Range: \"v0\"")
    #expect(stale.status == "200" && stale.body == "hello world")
    #expect(try curl(server, "/a", "-H", "Range: bytes=11-").status == "416")
    #expect(try curl(server, "/b").status == "404")
  }

  @Test func `switches make the file's server misbehave`() throws {
    var file = ServedFile(bytes: Array("hello".utf8), etag: "W/\"v1\"")
    file.ignoresConditions = true
    file.refusesHead = true
    let server = try LoopbackServer(["/a": [Reply(.file(file))]])
    #expect(try curl(server, "/a", "-H", "If-None-Match: W/\"v1\"").status == "200")
    #expect(try curl(server, "/a", "-I").status == "405")
    #expect(try curl(server, "/a", "-H", "Range: bytes=1-", "-H", "If-Range: W/\"v1\"").status == "200")
    file.ignoresConditions = false
    file.ignoresRange = true
    server.on("/a", Reply(.file(file)))
    #expect(try curl(server, "/a", "-H", "If-None-Match: W/\"v1\"").status == "304")
    #expect(try curl(server, "/a", "-H", "Range: bytes=1-").body == "hello")
  }

  @Test func `replies are given in order, and the last one is repeated`() throws {
    let server = try LoopbackServer(["/a": [.text("", status: 503), .text("one"), .text("two")]])
    #expect(try curl(server, "/a").status == "503")
    #expect(try curl(server, "/a?x=1").body == "one")
    #expect(try curl(server, "/a").body == "two")
    #expect(try curl(server, "/a").body == "two")
    #expect(server.requests.map(\.target) == ["/a", "/a?x=1", "/a", "/a"])
    #expect(server.requests(to: "/a").count == 4)
  }

  @Test func `one connection serves many requests`() throws {
    let server = try LoopbackServer(["/a": [.text("one")], "HEAD /a": [.text("longer than it")]])
    let result = try runProcess(
      "/usr/bin/curl", ["-sS", server.url("/a"), server.url("/a"), server.url("/a")])
    #expect(result.stdout == "oneoneone")
    #expect(server.requests.map(\.connection) == [0, 0, 0])
    #expect(server.log.connections == 1 && server.log.peakConnections == 1)
    #expect(try curl(server, "/a", "-I").body.contains("Content-Length: 14"))
  }

  @Test func `chunks, missing lengths and wrong lengths are sent as configured`() throws {
    let body = Array("0123456789".utf8)
    let server = try LoopbackServer([
      "/chunked": [.status(200, body: body, framing: .chunked).dripped(bytes: 3, every: .zero)],
      "/close": [.status(200, body: body, framing: .close)],
      "/short": [.status(200, body: body, framing: .declared(["20"])).delivered { $0.ending = .close }],
      "/raw": [.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")],
    ])
    #expect(try curl(server, "/chunked").body == "0123456789")
    #expect(try curl(server, "/close").body == "0123456789")
    #expect(try curl(server, "/short").exit == 18)
    #expect(try curl(server, "/raw").body == "hi")
  }

  @Test func `a body is cut with FIN or with RST`() throws {
    let body = [UInt8](repeating: 65, count: 100_000)
    let server = try LoopbackServer([
      "/fin": [.file(body).cut(after: 70_000)], "/rst": [.file(body).cut(after: 70_000, ending: .reset)],
      "/nothing": [.raw("")],
    ])
    let fin = try curl(server, "/fin")
    #expect(fin.exit == 18 && fin.body.utf8.count == 70_000)
    #expect(try curl(server, "/rst").exit == 56)
    #expect(try curl(server, "/nothing").exit == 52)
    #expect(server.log.bytesSent(to: "/fin") == 70_000)
  }

  @Test func `an endless body ends when the client goes`() throws {
    var response = Response(body: [UInt8](repeating: 65, count: 4096), framing: .close)
    response.repeats = .max
    let server = try LoopbackServer(["/a": [Reply(.response(response))]])
    let result = try runProcess("/bin/sh", ["-c", "curl -sS \(server.url("/a")) | head -c 1000000 | wc -c"])
    #expect(result.stdout.contains("1000000"))
    #expect(server.wait { $0.requests.allSatisfy(\.isAnswered) })
  }

  @Test func `held replies wait for their gate, and both requests are active at once`() throws {
    let server = try LoopbackServer([
      "/a": [.text("a").held(until: "go")], "/b": [.text("bbbb").held(afterBody: 2, until: "go")],
    ])
    let pending = try startProcess(
      "/usr/bin/curl", ["-sS", "--parallel", "--parallel-immediate", server.url("/a"), server.url("/b")])
    #expect(server.wait { $0.requests.count == 2 && $0.bytesSent(to: "/b") == 2 })
    server.release("go")
    #expect(pending.wait().status == 0)
    #expect(server.log.peakActiveRequests == 2 && server.log.peakConnections == 2)
  }

  @Test func `a stopping server releases its port and its held replies`() throws {
    let server = try LoopbackServer(["/a": [.text("a").held(until: "never")]])
    let url = server.url("/a")
    let pending = try startProcess("/usr/bin/curl", ["-sS", url])
    #expect(server.wait { $0.requests.count == 1 })
    server.stop()
    #expect(pending.wait(seconds: 10).status == 52)
    #expect(try runProcess("/usr/bin/curl", ["-sS", url]).status == 7)
  }

  private struct Answer {
    var status: String
    var body: String
    var exit: Int32
  }

  private func curl(_ server: LoopbackServer, _ path: String, _ options: String...) throws -> Answer {
    let result = try runProcess(
      "/usr/bin/curl", ["-sS", "-w", "%{stderr}status=%{http_code}"] + options + [server.url(path)])
    let status = result.stderr.split(separator: "status=").last.map(String.init) ?? ""
    return Answer(status: status, body: result.stdout, exit: result.status ?? -1)
  }
}
