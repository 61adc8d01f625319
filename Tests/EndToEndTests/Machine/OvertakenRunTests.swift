import Foundation
import SyncTestSupport
import Testing

#if os(Linux)
  /// A run looks only at the targets that its snapshot left open, and meanwhile another run changes the state.
  @Suite(.waits, .enabled(if: RefusedCalls.library != nil && SyncmakeProgram.path != nil, "no C compiler"))
  struct OvertakenRunTests {
    @Test func `it begins again with all targets, in the folder of -C`() async throws {
      let server = try LoopbackServer()
      for name in ["a", "b", "other"] { server.on("/\(name)", .file(Array("1\n".utf8), etag: "\"1\"")) }
      let folder = try TemporaryFolder()
      try folder.write(
        """
        version: 1
        targets:
          a: {url: "\(server.url())/a"}
          b: {url: "\(server.url())/b"}
        """, to: "p/syncmake.yaml")
      try folder.write(
        "version: 1\ntargets: {other: {url: \"\(server.url())/other\"}}\n", to: "p/other.yaml")
      func run(_ options: String...) throws -> ProcessResult {
        try runProcess(
          try #require(SyncmakeProgram.path), ["-C", "p"] + options, currentDirectory: folder.path)
      }
      for _ in 0..<2 { #expect(try run().status == 0) }
      // Only of files older than two seconds a snapshot knows that they were not changed since.
      try await Task.sleep(for: .milliseconds(2100))
      #expect(try run().status == 0)

      server.on("/b", .file(Array("2\n".utf8), etag: "\"2\""))
      var environment = ProcessInfo.processInfo.environment
      environment["LD_PRELOAD"] = RefusedCalls.library
      environment["SECOND_FLOCK_AWAITS"] = folder.path("go")
      let asked = server.requests(to: "/b").count
      let overtaken = try startProcess(
        try #require(SyncmakeProgram.path), ["-C", "p"], environment: environment,
        currentDirectory: folder.path)
      #expect(server.wait { $0.requests(to: "/b").count > asked })
      // The quick answer holds the root while it asks.
      #expect(try run("-f", "other.yaml").status == 0)
      try folder.write("", to: "go")
      let result = overtaken.wait(seconds: 20)
      #expect(result.status == 0, "\(result.stderr)")
      #expect(result.stdout.contains("1 updated, 1 unchanged"), "\(result.stdout)")
      #expect(folder.text("p/b") == "2\n")
    }
  }
#endif
