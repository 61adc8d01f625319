import SyncModel
import SyncTestSupport
import Testing

@testable import Transfer

/// What is sent to a cache on a server.
@Suite struct UploadTests {
  /// Bytes in memory, and how often they were begun; used by one thread.
  private final class Body: RequestBody, @unchecked Sendable {
    private let bytes: [UInt8]
    private var place = 0
    private(set) var begun = 0
    private let isBroken: Bool

    init(_ bytes: [UInt8], isBroken: Bool = false) {
      self.bytes = bytes
      self.isBroken = isBroken
    }

    var size: Int64 { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      if isBroken { return nil }
      let count = min(buffer.count, bytes.count - place)
      buffer.copyBytes(from: bytes[place..<place + count])
      place += count
      return count
    }

    func rewind() {
      place = 0
      begun += 1
    }
  }

  private func put(_ body: Body, _ url: String) -> ExchangeRequest {
    var request = ExchangeRequest(method: .put, url: url)
    request.body = body
    return request
  }

  @Test(arguments: [0, 1, 3_000_000]) func `a body is sent with its length, at once`(size: Int) throws {
    let server = try LoopbackServer(["/a": [.status(201)]])
    let body = Body(TestData.random(size, seed: 1))
    let got = try fetch(put(body, server.url("/a")))
    #expect(got.heads.map(\.status) == [201])
    let request = try #require(server.requests.first)
    #expect(request.method == "PUT" && request.header("Content-Length") == String(size))
    #expect(request.header("Expect") == nil && request.header("Transfer-Encoding") == nil)
    #expect(body.begun == 1)
  }

  @Test func `a redirect is not followed`() throws {
    let server = try LoopbackServer(["/a": [.redirect("/b", status: 307)], "/b": [.status(201)]])
    let got = try fetch(put(Body([1]), server.url("/a")))
    #expect(got.heads.map(\.status) == [307] && server.requests.count == 1)
  }

  @Test func `bytes that cannot be read end it`() throws {
    let server = try LoopbackServer(["/a": [.status(201)]])
    let got = try fetch(put(Body([1], isBroken: true), server.url("/a")))
    #expect(got.heads.isEmpty)
    guard case .failed? = got.ends.first else {
      Issue.record("\(got.ends)")
      return
    }
  }

  @Test func `connections are used again, for other methods, too`() throws {
    let server = try LoopbackServer(["*": [.status(200)]])
    let loop = try TransferLoop.forTests { _ in }
    for request in [
      put(Body([1, 2]), server.url("/a")), ExchangeRequest(method: .head, url: server.url("/a")),
      put(Body([1, 2, 3]), server.url("/b")), ExchangeRequest(url: server.url("/b")),
    ] {
      let client = Recorder()
      _ = loop.start(request, client: client)
      #expect(loop.run { !client.ends.isEmpty })
    }
    #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PUT", "GET"])
    #expect(Set(server.requests.map(\.connection)).count == 1)
  }
}
