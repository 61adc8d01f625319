import Foundation
import SyncTestSupport
import Testing

/// Each request is redirected to a URL with a new signature (contract, section 3, "Details").
///
/// One at a time: the download is killed at given points.
@Suite(.waits, .serialized) struct `Signatures that change with each request` {
  /// Each signature contains this word, so one search finds any of them.
  private static let canary = "c0ffee5ignature"

  /// A redirect to `path` with a signature that no other request gets.
  private static func signed(_ path: String) -> Reply {
    Reply(
      .computed { request in
        let signature = "\(canary)\(request.number)x\(UInt64.random(in: 0 ... .max))"
        return .redirect("\(path)?X-Amz-Date=\(signature)&X-Amz-Signature=\(signature)")
      })
  }

  /// The files below a folder that contain the canary.
  private static func leaks(below folder: TemporaryFolder) -> [String] {
    FileTree(folder.path).entries.keys.filter { name in
      folder.read(name).map { Data($0).range(of: Data(canary.utf8)) != nil } ?? false
    }
  }

  /// The program's output must not contain the canary.
  private static func expectNoLeak(_ result: ProcessResult, _ what: String) {
    #expect(!result.stdout.contains(canary), "\(what): \(result.stdout.prefix(500))")
    #expect(!result.stderr.contains(canary), "\(what): \(result.stderr.prefix(500))")
  }

  @Test func `do not prevent two hundred confirmations, and are never shown`() throws {
    let server = try LoopbackServer()
    var script: [String: [Reply]] = [:]
    for number in 1...200 {
      script["/a/\(number)"] = [Self.signed("/b/\(number)")]
      script["/b/\(number)"] = [.file(Array("file \(number)\n".utf8), etag: "\"v\(number)\"")]
    }
    server.setScript(script)
    let root = try ProgramFolder(
      manifest: """
        version: 1
        targets:
          f${n}: {matrix: {n: [1..200]}, url: "\(server.url("/a/${n}"))", output: "out/${n}"}
        """)

    let first = try root.syncmake("-v", "--json", "--events", "first.jsonl", seconds: 60)
    #expect(first.status == 0, "\(first.stderr.prefix(1000))")
    Self.expectNoLeak(first, "first run")
    for number in 1...200 { #expect(root.folder.text("out/\(number)") == "file \(number)\n") }

    server.clearLog()
    let second = try root.syncmake("-v", "--json", "--events", "second.jsonl", seconds: 60)
    #expect(second.status == 0, "\(second.stderr.prefix(1000))")
    Self.expectNoLeak(second, "second run")
    let targets = try second.document().targets
    #expect(targets.count == 200)
    for target in targets {
      #expect(target.outcome == "fresh" && target.reason == "not-modified", "\(target.name)")
      // Data that is not transferred may be missing in the document.
      #expect((target.bytesTransferred ?? 0) == 0, "\(target.name)")
    }
    let requests = server.requests
    #expect(requests.count == 400)
    for number in 1...200 {
      #expect(requests.filter { $0.path == "/a/\(number)" }.count == 1)
      let asked = requests.filter { $0.path == "/b/\(number)" }
      #expect(asked.map { $0.header("If-None-Match") } == ["\"v\(number)\""])
      #expect(asked.allSatisfy { $0.target.contains(Self.canary) })
    }
    #expect(requests.reduce(0) { $0 + $1.bytesSent } == 0)

    for arguments in [["lock"], ["plan", "--json"], ["status", "--json"], ["explain", "f7"]] {
      let result = try root.start(arguments).wait(seconds: 60)
      #expect(result.status == 0, "\(arguments): \(result.stderr.prefix(1000))")
      Self.expectNoLeak(result, arguments.joined(separator: " "))
    }
    #expect(root.folder.exists("syncmake.lock") && root.folder.exists("second.jsonl"))
    #expect(Self.leaks(below: root.folder) == [])
  }

  @Test func `allow a download to be resumed that is killed five times`() throws {
    let content = Self.content(megabytes: Torture.isFull ? 200 : 20)
    let size = content.count
    // A killed run loses received bytes that were not written yet: the megabyte that is being filled, and the one
    // before it.
    let mostInFlight = 2 << 20
    // The wait also counts other files of the state, and a run resumes from the last checkpoint.
    let mostLost = 3 << 20
    let server = try LoopbackServer(["/big.bin": [Self.signed("/store/big.bin")]])
    let root = try ProgramFolder(
      manifest: "version: 1\ntargets:\n  big: {url: \"\(server.url("/big.bin"))\", retries: 0}\n")
    let file = Reply.file(content, etag: "\"v1\"")

    var served = 0
    for share in [8, 5, 7, 9, 6] {
      // The server sends exactly this part of the file, so the data in flight does not depend on its speed.
      let portion = size / share
      server.on("/store/big.bin", file.held(afterBody: portion, until: "never"))
      let broken = try root.start()
      let wanted = served + portion
      #expect(server.wait(seconds: 60) { $0.bytesSent(to: "/store/big.bin") >= wanted })
      let begun = Self.start(of: try #require(server.requests(to: "/store/big.bin").last))
      #expect(root.waitForSaved(bytes: begun + portion - mostInFlight))
      broken.send(SIGKILL)
      #expect(broken.wait().signal == SIGKILL)
      served = server.log.bytesSent(to: "/store/big.bin")
      #expect(served == wanted)
    }
    server.on("/store/big.bin", file)
    let last = try root.syncmake("-v", "--json", seconds: 120)
    #expect(last.status == 0, "\(last.stderr)")
    Self.expectNoLeak(last, "last run")

    let requests = server.requests(to: "/store/big.bin")
    #expect(requests.count == 6)
    #expect(requests.dropFirst().allSatisfy { $0.header("If-Range") == "\"v1\"" })
    #expect(Set(requests.map(\.target)).count == 6)
    var end = 0
    for request in requests {
      let start = Self.start(of: request)
      #expect(start <= end && start >= end - mostLost, "from \(start) after \(end)")
      end = start + request.bytesSent
    }
    #expect(end == size)
    served = requests.reduce(0) { $0 + $1.bytesSent }
    #expect(served >= size && served <= size + 5 * mostLost, "\(served) of \(size)")
    let target = try #require(try last.document().targets.first)
    #expect(target.bytesTransferred == requests.last?.bytesSent && target.httpStatus == 206)
    let written = try Data(contentsOf: URL(fileURLWithPath: root.folder.path("big.bin")))
    #expect(written == Data(content))
    #expect(Self.leaks(below: root.folder) == [])
  }

  /// Random blocks of a megabyte. Each begins with its number, so no two are the same.
  private static func content(megabytes: Int) -> [UInt8] {
    let block = TestData.random(999_992, seed: 27)
    var content: [UInt8] = []
    content.reserveCapacity(megabytes * 1_000_000)
    for number in 0..<megabytes {
      withUnsafeBytes(of: UInt64(number).littleEndian) { content += $0 }
      content += block
    }
    return content
  }

  /// The first byte that a request asks for.
  private static func start(of request: LoggedRequest) -> Int {
    request.header("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
  }
}
