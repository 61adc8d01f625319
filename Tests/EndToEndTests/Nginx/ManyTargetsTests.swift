import SyncTestSupport
import Testing

extension NginxTests {
  @Suite struct `Ten thousand targets` {
    /// The part of `plan --json` that these tests read.
    private struct PlanDocument: Decodable {
      struct Target: Decodable, Equatable {
        var name: String
        var action: String
        var reason: String
      }

      var summary: [String: Int]
      var targets: [Target]
    }

    @Test func `whose files exist are planned without a request`() throws {
      let server = try NginxServer()
      let root = try ProgramFolder(
        manifest: """
          version: 1
          targets:
            once${n}:
              matrix: {n: [1..5000]}
              url: \(server.url())/${n}
              output: out/${n}
              freshness: once
            daily${n}:
              matrix: {n: [5001..10000]}
              url: \(server.url())/${n}
              output: out/${n}
              freshness: {interval: 1d}
          """)
      try root.writeNumbers(10_000, in: "out")
      let touch = try root.syncmake("-t", seconds: 30)
      #expect(touch.status == 0 && !touch.timedOut, "\(touch.stderr)")
      let before = FileTree(root.folder.path)

      let plan = try root.syncmake("plan", "--json", seconds: 30)
      #expect(plan.status == 0 && !plan.timedOut, "\(plan.stderr)")
      let document = try plan.document(PlanDocument.self)
      #expect(document.summary == ["update": 0, "fresh": 10_000, "maybe": 0, "error": 0])
      let wanted = (1...10_000).map {
        $0 <= 5000
          ? PlanDocument.Target(name: "once\($0)", action: "fresh", reason: "present")
          : PlanDocument.Target(name: "daily\($0)", action: "fresh", reason: "within-interval")
      }
      #expect(document.targets == wanted, "\(plan.stdout.prefix(1000))")
      let question = try root.syncmake("-q", seconds: 30)
      #expect(question.status == 0 && question.stdout == "" && !question.timedOut)
      #expect(FileTree(root.folder.path).changes(since: before) == [])
      #expect(try server.requests().isEmpty)
    }
  }
}
