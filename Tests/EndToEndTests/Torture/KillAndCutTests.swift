// The attacks need Linux: a preloaded library stands between the program and the system.
#if os(Linux)
  import Foundation
  import Glibc
  import SyncTestSupport
  import Testing

  /// A few of the cases that `scripts/torture` plays in full.
  @Suite(.serialized, .disabled(if: isSanitized, "a sanitizer's library must be the first that is loaded"))
  struct KillAndCutTests {
    @Test(.timeLimit(.minutes(5)), arguments: ["first-fetch", "update"])
    func `a run killed at any call leaves old or new, and the next one needs no help`(scenario: String) throws
    {
      try attack("kill-at-every-call", "--count", "8", "--scenarios", scenario)
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["sidecar", "resume"])
    func `a call that fails once leaves old or new, and the next run needs no help`(scenario: String) throws {
      try attack("fail-every-call", "--count", "8", "--scenarios", scenario)
    }

    @Test(.timeLimit(.minutes(5)))
    func `kills at random moments leave whole versions, which is all that a reader ever sees`() throws {
      try attack("random-kills", "--count", "20")
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["update", "from-chain"])
    func `a power cut leaves old or new, and the next run needs no help`(scenario: String) throws {
      try attack("power-cut", "--count", "16", "--scenarios", scenario)
    }

    private func attack(_ part: String, _ options: String...) throws {
      let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      var environment = ProcessInfo.processInfo.environment
      let program: String = try #require(SyncmakeProgram.path)
      environment["SYNCMAKE_BINARY"] = program
      let ended = try runProcess(
        package.appending(path: "scripts/torture.d/\(part)").path, options + ["--jobs", "2"],
        environment: environment, timeoutSeconds: 240)
      #expect(ended.status == 0, "\(ended.stderr)")
      #expect(
        ended.stdout.contains(try Regex("(?m)^\(part): [1-9][0-9]* cases, 0 violations$")), "\(ended.stdout)")
    }
  }

  private let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
#endif
