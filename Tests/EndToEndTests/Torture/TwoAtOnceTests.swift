import Foundation
import SyncTestSupport
import Testing

/// Sixteen processes update one root at the same time, and some are killed: the result is the same as with one
/// process, and nothing is left to clean up.
@Suite(.enabled(if: SyncmakeProgram.path != nil)) struct TwoAtOnceTests {
  @Test func `sixteen processes on one root give the result of one, even if some are killed`() throws {
    let tally = TortureTally("two-at-once")
    let crowd = try Crowd()
    for round in 0..<Torture.cases(usually: 2) {
      var random = SeededGenerator(seed: Torture.seed, case: round)
      try crowd.play(round, &random) { tally.violation("round \(round): \($0)") }
      tally.count(Crowd.size)
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
  }
}

/// One root, one server, and all processes.
private struct Crowd {
  static let size = 16
  static let names = ["plain", "big", "needy", "checked", "copy"]

  let program: String
  let folder: TemporaryFolder
  let server: LoopbackServer
  let environment: [String: String]

  init() throws {
    program = try #require(SyncmakeProgram.path)
    folder = try TemporaryFolder()
    server = try LoopbackServer()
    environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path("home"), "BASE": server.url()]
    try folder.write(
      """
      version: 1
      targets:
        plain: {url: "${env:BASE}/plain", output: out/plain}
        big: {url: "${env:BASE}/big", output: out/big}
        needy: {url: "${env:BASE}/needy", output: out/needy, needs: [plain]}
        checked:
          url: ${env:BASE}/checked
          output: out/checked
          steps: [verify: {sha256: {url: "${env:BASE}/checked.sha256"}}]
        copy: {from: big, output: out/copy}
      """, to: "root/syncmake.yaml")
  }

  private func body(_ name: String, _ round: Int) -> [UInt8] {
    switch name {
    case "big", "copy": TestData.random(400_000, seed: UInt64(round))
    default: Array("\(name) \(round)\n".utf8)
    }
  }

  private func serve(_ round: Int) throws {
    for name in Self.names {
      server.on("/\(name)", .file(body(name, round), etag: "\"\(name)-\(round)\""))
    }
    let digest = try TestData.digest("sha256", body("checked", round))
    server.on(
      "/checked.sha256", .text("\(digest)  checked\n", headers: [HeaderField("ETag", "\"s\(round)\"")]))
  }

  private func start() throws -> RunningProcess {
    try startProcess(program, ["-C", folder.path("root"), "-k"], environment: environment)
  }

  func play(_ round: Int, _ random: inout SeededGenerator, _ violation: (String) -> Void) throws {
    try serve(round)
    server.clearLog()
    let crowd = try (0..<Self.size).map { _ in try start() }
    // In the first of three rounds no process is killed.
    let victims = round % 3 == 0 ? 0 : 1 + random.below(Self.size)
    for victim in Array(crowd.shuffled(using: &random).prefix(victims)) {
      // The moment of the kill is random on purpose.
      usleep(UInt32(random.below(120_000)))
      victim.send(SIGKILL)
    }
    for process in crowd {
      let end = process.wait(seconds: 60)
      if end.signal == SIGKILL && victims > 0 && !end.timedOut { continue }
      if end.status != 0 { violation("one of them ended with \(end)") }
    }
    checkRequests(victims, violation)
    try checkRest(round, victims, violation)
  }

  /// The whole body was sent once, and at most once more for each killed process.
  private func checkRequests(_ victims: Int, _ violation: (String) -> Void) {
    for name in Self.names where name != "copy" {
      let bodies = server.requests(to: "/\(name)").count { $0.bytesSent > 0 }
      if bodies == 0 && victims == 0 { violation("\(name) was never fetched") }
      if bodies > 1 + victims { violation("\(name) was fetched \(bodies) times, \(victims) killed") }
    }
  }

  /// The result is valid, or one more run repairs it and has nothing to clean up afterwards.
  private func checkRest(_ round: Int, _ victims: Int, _ violation: (String) -> Void) throws {
    let next = try start().wait(seconds: 60)
    if next.status != 0 { violation("the next run ended with \(next)") }
    server.clearLog()
    let quiet = try start().wait(seconds: 60)
    if quiet.status != 0 { violation("the run after that ended with \(quiet)") }
    let fetched = server.requests.filter { $0.bytesSent > 0 && !$0.path.hasSuffix(".sha256") }
    if !fetched.isEmpty { violation("the run after that fetched \(fetched.map(\.path))") }
    for name in Self.names where folder.read("root/out/\(name)") != body(name, round) {
      violation("\(name) has wrong bytes")
    }
    let left = FileManager.default.enumerator(atPath: folder.path("root"))?.compactMap { $0 as? String } ?? []
    let ours: Set<String> = [
      "syncmake.yaml", "out", ".syncmake", ".syncmake/.gitignore", ".syncmake/lock", ".syncmake/state.db",
      ".syncmake/staging", ".syncmake/partial",
    ]
    let expected = ours.union(Self.names.map { "out/\($0)" })
    let surplus = Set(left).subtracting(expected)
    if !surplus.isEmpty { violation("left over: \(surplus.sorted())") }
  }
}
