import Foundation
import SyncTestSupport
import Syncmake
import Testing

/// The five uses of docs/library.md, in Swift and as manifests.
@Suite struct FiveUsesTests {
  private let folder: TemporaryFolder
  private let byManifest: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    byManifest = try TemporaryFolder()
  }

  /// The code blocks of a language on that page, in order.
  private static func blocks(_ language: String) throws -> [String] {
    let page = try String(
      contentsOf: TestTools.project.appendingPathComponent("docs/library.md"), encoding: .utf8)
    let parts = page.components(separatedBy: "five-uses -->")
    try #require(parts.count == 3)
    return parts[1].components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  /// Runs the page's manifest with that number; returns the changed outputs, and the requests.
  private func run(_ number: Int, _ server: LoopbackServer) async throws -> (
    changed: [String], requests: [String]
  ) {
    server.clearLog()
    let text = try Self.blocks("yaml")[number]
    let manifest = try Manifest(text: text, root: byManifest.path, environment: ["SITE": server.url()])
    let result = try await manifest.run().result()
    #expect(result.status == .ok)
    return (result.targets.filter(\.isChanged).map(\.output), Self.requests(server))
  }

  /// What a server was asked, with conditions.
  private static func requests(_ server: LoopbackServer) -> [String] {
    server.requests.map { request in
      let conditions = ["If-None-Match", "If-Modified-Since", "Range"].filter { request.header($0) != nil }
      return ([request.method, request.target] + conditions).joined(separator: " ")
    }.sorted()
  }

  /// Compares a use in Swift with its manifest, twice: first all is new, then nothing.
  private func compare(
    _ number: Int, _ server: LoopbackServer, _ use: () async throws -> Int
  ) async throws {
    for round in 1...2 {
      server.clearLog()
      let changed = try await use()
      let requests = Self.requests(server)
      let other = try await run(number, server)
      #expect(changed == other.changed.count, "round \(round)")
      #expect(requests == other.requests, "round \(round)")
      #expect((changed == 0) == (round == 2))
    }
  }

  @Test func `each is at most ten lines, and the Swift is what is tested here`() throws {
    let source = try String(
      contentsOf: TestTools.project.appendingPathComponent("Tests/SyncmakeTests/FiveUses.swift"),
      encoding: .utf8)
    for language in ["swift", "yaml"] {
      let blocks = try Self.blocks(language)
      #expect(blocks.count == 5)
      for block in blocks {
        #expect(block.split(separator: "\n").count <= 10, "\(block)")
        if language == "swift" { #expect(source.contains(block), "\(block)") }
      }
    }
  }

  @Test func `a file only if it is newer`() async throws {
    let server = try LoopbackServer(["/terms.txt": [.file(Array("terms".utf8), etag: "\"1\"")]])
    try await compare(0, server) { try await newer(server.url(), folder.path) ? 1 : 0 }
  }

  @Test func `a daily cache`() async throws {
    let server = try LoopbackServer(["/rates.json": [.file(Array("{}".utf8), etag: "\"1\"")]])
    try await compare(1, server) { try await daily(server.url(), folder.path) ? 1 : 0 }
    #expect(server.requests.isEmpty)
  }

  @Test func `pictures by 304`() async throws {
    let server = try LoopbackServer(["*": [.file(Array("picture".utf8), etag: "\"1\"")]])
    try await compare(2, server) { try await pictures(server.url(), folder.path).count }
    #expect(Self.requests(server) == (1...3).map { "GET /p\($0).png If-None-Match" })
  }

  @Test func `a large download with resume`() async throws {
    let bytes = TestData.random(2_000_000, seed: 1)
    let whole = Reply.file(bytes, etag: "\"1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
    let server = try LoopbackServer(["/docset.tar": [whole.cut(after: 1_500_000), whole]])
    #expect(try await docset(server.url(), folder.path) { _, _ in })
    #expect(folder.read("docset.tar") == bytes)
    #expect(Self.requests(server) == ["GET /docset.tar", "GET /docset.tar Range"])
    server.on("/docset.tar", whole.cut(after: 1_500_000), whole)
    #expect(try await run(3, server).requests == ["GET /docset.tar", "GET /docset.tar Range"])
    #expect(try await docset(server.url(), folder.path) { _, _ in } == false)
  }

  @Test func `a database by its md5`() async throws {
    let packed = try TestData.gzip(Array("rows".utf8))
    let server = try LoopbackServer([
      "/cities.db.gz": [.file(packed)],
      "/cities.db.gz.md5": [.text(try TestData.digest("md5", packed) + "  cities.db.gz\n")],
    ])
    try await compare(4, server) { try await database(server.url(), folder.path) ? 1 : 0 }
    #expect(folder.text("cities.db") == "rows")
  }
}
