import Foundation
import SyncTestSupport
import Testing

extension NginxTests {
  @Suite struct `An interrupted download` {
    private static let content = TestData.random(4_000_000, seed: 21)

    struct Way: CustomTestStringConvertible, Sendable {
      var signal: Int32
      var unpacks: Bool
      var testDescription: String {
        "\(signal == SIGKILL ? "SIGKILL" : "SIGINT"), \(unpacks ? "gunzip" : "no steps")"
      }
    }

    @Test(
      arguments: [SIGINT, SIGKILL].flatMap {
        [Way(signal: $0, unpacks: false), Way(signal: $0, unpacks: true)]
      })
    func `is resumed by the next run`(way: Way) throws {
      let download = way.unpacks ? try TestData.gzip(Self.content) : Self.content
      let name = way.unpacks ? "big.bin.gz" : "big.bin"
      // A first request takes seconds; a resumed one may be faster.
      let server = try NginxServer(
        locations: "location / { limit_rate $rate; }",
        directives: "map $http_range $rate { '' 1m; default 0; }", files: [name: download])
      let root = try ProgramFolder(
        manifest: """
          version: 1
          targets:
            big: {url: "\(server.url("/\(name)"))", output: big.bin, steps: [\(way.unpacks ? "gunzip" : "")]}
          """)

      let broken = try root.start()
      #expect(root.waitForSaved(bytes: 500_000))
      broken.send(way.signal)
      let end = broken.wait()
      #expect(way.signal == SIGKILL ? end.signal == SIGKILL : end.status == 130, "\(end.stderr)")
      #expect(root.entries.filter { !$0.hasPrefix(".syncmake") } == ["syncmake.yaml"])
      let first = try #require(try server.requests().first)
      #expect(first.status == 200 && first.bodyBytes < download.count)

      try server.clearLog()
      let result = try root.syncmake("--json")
      #expect(result.status == 0, "\(result.stderr)")
      #expect(root.folder.read("big.bin") == Self.content)
      let target = try #require(try result.document().targets.first)
      let resumed = try #require(target.bytesResumed)
      #expect(resumed > 0 && resumed < download.count)
      #expect(target.bytesTransferred == download.count - resumed)
      #expect(target.httpStatus == 206 && target.requests == 1)
      let requests = try server.requests()
      #expect(requests.map(\.status) == [206])
      #expect(requests.first?.range == "bytes=\(resumed)-")
      #expect(requests.first?.bodyBytes == download.count - resumed)

      try server.clearLog()
      #expect(try root.syncmake().stdout.contains("up to date"))
      #expect(try server.requests().map(\.status) == [304])
    }

    @Test func `a download starts over if the server has another version in the meantime`() throws {
      let server = try NginxServer(
        locations: "location / { limit_rate $rate; }",
        directives: "map $http_range $rate { '' 1m; default 0; }")
      try server.serve(Self.content, as: "big.bin", modified: 1_600_000_000)
      let root = try ProgramFolder(
        manifest: "version: 1\ntargets:\n  big: {url: \"\(server.url("/big.bin"))\"}\n")
      let broken = try root.start()
      #expect(root.waitForSaved(bytes: 500_000))
      broken.send(SIGKILL)
      _ = broken.wait()

      try server.clearLog()
      let newer = TestData.random(3_000_000, seed: 22)
      try server.serve(newer, as: "big.bin", modified: 1_600_000_060)
      let result = try root.syncmake("--json")
      #expect(result.status == 0, "\(result.stderr)")
      #expect(root.folder.read("big.bin") == newer)
      #expect(try result.document().targets.map(\.bytesResumed) == [0])
      let requests = try server.requests()
      #expect(requests.map(\.status) == [200])
      #expect(requests.first?.range != nil)
    }
  }
}
