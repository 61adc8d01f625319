import SyncTestSupport
import Testing

extension NginxTests {
  @Suite struct `A Content-Encoding` {
    private let text = Array(String(repeating: "many of the same words\n", count: 20_000).utf8)
    private let packed: [UInt8]
    private let server: NginxServer

    init() throws {
      packed = try TestData.gzip(text)
      server = try NginxServer(
        locations: """
          location /encoded/ { alias files/; add_header Content-Encoding gzip; }
          location /static/ { alias files/; gzip_static always; }
          location /eager/ { alias files/; gzip on; gzip_types *; gzip_min_length 1; }
          """,
        files: ["words.txt": text, "words.txt.gz": packed])
    }

    private func root(_ url: String, _ rest: String = "") throws -> ProgramFolder {
      try ProgramFolder(
        manifest: "version: 1\ntargets:\n  words: {url: \"\(server.url(url))\", output: words\(rest)}\n")
    }

    @Test func `of gzip does not change a file whose name ends in .gz`() throws {
      let root = try root("/encoded/words.txt.gz")
      let result = try root.syncmake()
      #expect(result.status == 0, "\(result.stderr)")
      #expect(root.folder.read("words") == packed)
      // An existing encoded file is requested like any other.
      try server.clearLog()
      #expect(try root.syncmake().status == 0)
      #expect(try server.requests().map(\.status) == [304])
    }

    @Test func `of gzip on a file whose name ends in .gz is unpacked once, by gunzip`() throws {
      let root = try root("/encoded/words.txt.gz", ", steps: [gunzip]")
      let result = try root.syncmake()
      #expect(result.status == 0, "\(result.stderr)")
      #expect(root.folder.read("words") == text)
    }

    @Test func `that was not requested is refused, and the old file stays`() throws {
      let root = try root("/static/words.txt")
      try root.folder.write("old\n", to: "words")
      let result = try root.syncmake("--json")
      #expect(result.status == 2)
      #expect(try result.document().targets.map(\.error?.code) == ["protocol"])
      #expect(root.folder.text("words") == "old\n")
    }

    @Test func `is not requested from a server that can compress`() throws {
      let root = try root("/eager/words.txt")
      let result = try root.syncmake("--json")
      #expect(result.status == 0, "\(result.stderr)")
      #expect(root.folder.read("words") == text)
      #expect(try result.document().targets.map(\.bytesTransferred) == [text.count])
    }
  }
}
