import SyncTestSupport
import Testing

extension NginxTests {
  @Suite struct `A thousand small files` {
    private static let names = (1...1000).map { "f\($0)" }
    /// In the past, so that a later time differs by more than the file system's resolution.
    private static let madeAt = 1_600_000_000

    private let server: NginxServer
    private let root: ProgramFolder

    init() throws {
      server = try NginxServer()
      for name in Self.names {
        try server.serve(Array("\(name)\n".utf8), as: name, modified: Self.madeAt)
      }
      root = try ProgramFolder(
        manifest: """
          version: 1
          targets:
            f${n}:
              matrix: {n: [1..1000]}
              url: \(server.url())/f${n}
              output: out/f${n}
          """)
    }

    private var outputs: FileTree { FileTree(root.folder.path("out")) }

    @Test func `are fetched once, then revalidated, and fetched again only if they changed`() throws {
      let first = try root.syncmake()
      #expect(first.status == 0, "\(first.stderr)")
      #expect(Self.names.allSatisfy { root.folder.text("out/\($0)") == "\($0)\n" })
      #expect(outputs.entries.count == 1000)
      try expectRequests(statuses: [200: 1000])

      try server.clearLog()
      let before = outputs
      let second = try root.syncmake()
      #expect(second.status == 0)
      #expect(second.stdout == "all 1000 targets are up to date\n")
      #expect(second.stderr == "")
      #expect(outputs.changes(since: before) == [])
      try expectRequests(statuses: [304: 1000])

      try server.clearLog()
      let changed = ["f7", "f500", "f1000"]
      for name in changed {
        try server.serve(Array("\(name) again\n".utf8), as: name, modified: Self.madeAt + 60)
      }
      // This one has a new time, and so a new ETag, and nothing else.
      try server.serve(Array("f12\n".utf8), as: "f12", modified: Self.madeAt + 60)
      let third = try root.syncmake("--json")
      #expect(third.status == 0, "\(third.stderr)")
      let document = try third.document()
      #expect(document.summary == ["updated": 4, "fresh": 996, "failed": 0, "skipped": 0])
      let updated = document.targets.filter { $0.outcome == "updated" }
      #expect(updated.map(\.name) == ["f7", "f12", "f500", "f1000"])
      #expect(updated.map { $0.unchanged ?? false } == [false, true, false, false])
      #expect(outputs.changes(since: before) == changed.sorted().map { "different: \($0)" })
      #expect(changed.allSatisfy { root.folder.text("out/\($0)") == "\($0) again\n" })
      let fetched = try expectRequests(statuses: [200: 4, 304: 996]).filter { $0.status == 200 }
      #expect(fetched.map(\.target).sorted() == (changed + ["f12"]).map { "/\($0)" }.sorted())

      // Their records are kept.
      try server.clearLog()
      #expect(try root.syncmake().stdout == "all 1000 targets are up to date\n")
      try expectRequests(statuses: [304: 1000])
    }

    /// Each file was requested exactly once, and a host has no more connections than allowed.
    @discardableResult
    private func expectRequests(
      statuses: [Int: Int], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [NginxRequest] {
      let requests = try server.requests()
      #expect(
        Dictionary(grouping: requests, by: \.status).mapValues(\.count) == statuses,
        sourceLocation: sourceLocation)
      #expect(
        requests.map { "\($0.method) \($0.target)" }.sorted() == Self.names.map { "GET /\($0)" }.sorted(),
        sourceLocation: sourceLocation)
      #expect(Set(requests.map(\.connection)).count <= 8, sourceLocation: sourceLocation)
      return requests
    }
  }
}
