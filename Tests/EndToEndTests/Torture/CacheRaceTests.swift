import Foundation
import SyncTestSupport
import Testing

/// Sixteen roots use one cache at the same time, some runs are killed, and the cache is pruned meanwhile: all outputs are
/// right, and without kills and prunes each body is fetched once.
@Suite(.waits, .enabled(if: SyncmakeProgram.path != nil)) struct CacheRaceTests {
  @Test func `sixteen roots on one cache all have the right files`() throws {
    let tally = TortureTally("cache-races")
    for round in 0..<Torture.cases(usually: 2) {
      var random = SeededGenerator(seed: Torture.seed, case: round)
      try CacheRace(round).play(&random) { tally.violation("round \(round): \($0)") }
      tally.count(CacheRace.size)
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
  }
}

/// The roots, their source and their cache.
private struct CacheRace {
  static let size = 16
  private static let names = ["small", "big", "named"]

  private enum Trouble { case none, kills, prunes, noLocks }

  private let trouble: Trouble
  private let round: Int
  private let program: String
  private let folder: TemporaryFolder
  private let server: LoopbackServer
  private var environment: [String: String]

  init(_ round: Int) throws {
    self.round = round
    program = try #require(SyncmakeProgram.path)
    folder = try TemporaryFolder()
    server = try LoopbackServer()
    environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path("home"), "BASE": server.url(),
      "SYNCMAKE_CACHE": folder.path("cache"),
    ]
    switch round % 4 {
    case 1: trouble = .kills
    case 2: trouble = .prunes
    case 3:
      trouble = .noLocks
      environment["LD_PRELOAD"] = try Self.withoutLocks(in: folder)
    default: trouble = .none
    }
    for name in Self.names { server.on("/\(name)", .file(body(name), etag: "\"\(name)-\(round)\"")) }
    let digest = try TestData.digest("sha256", body("named"))
    for root in 0..<Self.size {
      try folder.write(
        """
        version: 1
        targets:
          small: {url: "${env:BASE}/small"}
          big: {url: "${env:BASE}/big"}
          named: {url: "${env:BASE}/named", freshness: {sha256: \(digest)}}
        """, to: "root\(root)/syncmake.yaml")
    }
  }

  private func body(_ name: String) -> [UInt8] {
    name == "big" ? TestData.random(400_000, seed: UInt64(round)) : Array("\(name) \(round)\n".utf8)
  }

  /// A library by which every lock is given to everybody, as some network file systems do.
  private static func withoutLocks(in folder: TemporaryFolder) throws -> String? {
    try folder.write(
      "int flock(int fd, int operation) { (void)fd; (void)operation; return 0; }\n", to: "no.c")
    let compiled = try? runProcess(
      "/usr/bin/env", ["cc", "-shared", "-fPIC", "-o", folder.path("no.so"), folder.path("no.c")])
    return compiled?.status == 0 ? folder.path("no.so") : nil
  }

  private func start(_ root: Int) throws -> RunningProcess {
    try startProcess(program, ["-C", folder.path("root\(root)"), "-k"], environment: environment)
  }

  func play(_ random: inout SeededGenerator, _ violation: (String) -> Void) throws {
    let crowd = try (0..<Self.size).map { try start($0) }
    var killed: Set<Int> = []
    if trouble == .kills {
      killed = Set((0..<Self.size).shuffled(using: &random).prefix(1 + random.below(8)))
      for victim in killed {
        // The moment of the kill is random on purpose.
        usleep(UInt32(random.below(60_000)))
        crowd[victim].send(SIGKILL)
      }
    }
    if trouble == .prunes {
      for _ in 0..<8 {
        let prune = try startProcess(
          program, ["cache", "prune", "--max-size", "0B", "--silent"], environment: environment)
        let end = prune.wait(seconds: 60)
        if end.status != 0 { violation("a prune ended with \(end)") }
      }
    }
    for (root, process) in crowd.enumerated() {
      let end = process.wait(seconds: 60)
      if killed.contains(root), end.signal == SIGKILL { continue }
      if end.status != 0 { violation("root \(root) ended with \(end)") }
    }
    checkRequests(violation)
    try checkOutputs(violation)
  }

  private func checkRequests(_ violation: (String) -> Void) {
    guard trouble == .none else { return }
    for name in Self.names {
      let bodies = server.requests(to: "/\(name)").count { $0.bytesSent > 0 }
      if bodies != 1 { violation("\(name) was fetched \(bodies) times") }
    }
  }

  private func checkOutputs(_ violation: (String) -> Void) throws {
    for root in 0..<Self.size {
      if trouble == .kills {
        let next = try start(root).wait(seconds: 60)
        if next.status != 0 { violation("the next run of root \(root) ended with \(next)") }
      }
      for name in Self.names where folder.read("root\(root)/\(name)") != body(name) {
        violation("\(name) of root \(root) has wrong bytes")
      }
    }
    let verified = try startProcess(program, ["cache", "verify"], environment: environment).wait(seconds: 60)
    if verified.status != 0 { violation("the cache is bad afterwards: \(verified)") }
    if !(try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/locks"))).isEmpty,
      trouble == .none
    {
      violation("a lock is left")
    }
  }
}
