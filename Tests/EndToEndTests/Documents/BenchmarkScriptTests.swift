#if os(Linux)
  import Foundation
  import SyncTestSupport
  import Testing

  /// The benchmark runs; people judge its measurements.
  @Suite(.waits) struct BenchmarkScriptTests {
    @Test(.timeLimit(.minutes(3))) func `the script prints a table with a line for each goal`() throws {
      let data = try TemporaryFolder()
      var environment = ProcessInfo.processInfo.environment
      let program: String = try #require(SyncmakeProgram.path)
      environment["SYNCMAKE"] = program
      environment["SYNCMAKE_BENCH_DIR"] = data.path("data")
      let ended = try runProcess(
        "\(ExampleFolder.project)/scripts/benchmark",
        ["--only", "W6", "--scale", "small", "--runs", "1", "--no-install"], environment: environment,
        timeoutSeconds: 150)
      #expect(ended.status == 0, "\(ended.stderr)")
      #expect(ended.stdout.contains("### W6 200 targets on 20 hosts"), "\(ended.stdout)")
      let reached = ended.stdout.split(separator: "\n").filter {
        $0.contains("the least that order and limits allow")
      }
      // Each cell has a number: none says that it could not be measured.
      #expect(reached.count == 4)
      #expect(
        reached.allSatisfy { $0.contains(try! Regex("\\| (met|missed by [0-9]+ %) \\|$")) }, "\(ended.stdout)"
      )
    }
  }
#endif
