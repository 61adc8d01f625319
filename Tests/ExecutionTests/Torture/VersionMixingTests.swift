import Platform
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// Runs are interrupted and resumed while the server alternates between two versions: at every moment the output is
/// absent, the old file, or one of the two.
@Suite struct VersionMixingTests {
  @Test func `a resumed download is one version or the other, never a mixture`() throws {
    let tally = TortureTally("version-mixing")
    let pool = try BodyPool()
    let resumed = Monitor(0)
    let owed = Monitor(0)
    try Torture.play(usually: 60) { numbers in
      let server = try LoopbackServer()
      for number in numbers {
        var trial = try MixingTrial(number: number, server: server, pool: pool)
        let count = try trial.play { tally.violation("case \(number): \($0)") }
        resumed.withLock { $0 += count }
        owed.withLock { $0 += trial.owedResumptions }
        tally.count()
      }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
    let resumptions = resumed.withLock { $0 }
    #expect(resumptions * 20 >= tally.cases, "too few of the runs resumed anything: \(resumptions)")
    let signed = owed.withLock { $0 }
    #expect(signed * 100 >= tally.cases, "too few of the runs had to resume across signatures: \(signed)")
  }
}

/// Bodies of several sizes and their compressed forms, made once.
struct BodyPool: Sendable {
  struct Body: Sendable {
    var plain: [UInt8]
    var packed: [UInt8]
    var sha256: String
    var packedSHA256: String
  }

  let bodies: [Body]

  init() throws {
    let plain = [100, 5000, 17_000, 17_000, 20_000, 20_000, 70_000, 70_000, 300_000].enumerated().map {
      TestData.random($1, seed: UInt64($0))
    }
    bodies = try plain.map { plain in
      let packed = try TestData.gzip(plain)
      return Body(
        plain: plain, packed: packed, sha256: try TestData.digest("sha256", plain),
        packedSHA256: try TestData.digest("sha256", packed))
    }
  }

  /// Two different bodies, often of the same size.
  func pair(_ random: inout SeededGenerator) -> [Body] {
    let first = random.below(bodies.count)
    let twin = bodies.indices.first { $0 != first && bodies[$0].plain.count == bodies[first].plain.count }
    if let twin, !random.oneIn(3) { return [bodies[first], bodies[twin]] }
    return [bodies[first], bodies[(first + 1 + random.below(bodies.count - 1)) % bodies.count]]
  }
}

/// One root, a few disturbed runs, and an undisturbed one at the end.
private struct MixingTrial {
  /// Other requirements on the bytes.
  enum Guard: CaseIterable { case none, verify, digestRule, sidecar }

  let bench: Workbench
  let workspace: Workspace
  let flipping: FlippingServer
  let results: [[UInt8]]
  let demand: Guard
  let habits: FlippingServer.Habits
  /// The number of last runs that had to resume from the present bytes with another signature.
  private(set) var owedResumptions = 0
  /// The allowed contents so far.
  var old: [UInt8]?
  var random: SeededGenerator

  init(number: Int, server: LoopbackServer, pool: BodyPool) throws {
    var random = SeededGenerator(seed: Torture.seed, case: number)
    let pair = pool.pair(&random)
    let unpacks = random.oneIn(3)
    demand = random.oneIn(2) ? .none : random.pick(Guard.allCases)
    let bodies = pair.map { unpacks ? $0.packed : $0.plain }
    let digests = pair.map { unpacks ? $0.packedSHA256 : $0.sha256 }
    habits = Self.habits(&random)
    flipping = FlippingServer(
      bodies: bodies, digests: digests, port: server.port, serial: number, habits: habits, seed: random.next()
    )
    bench = try Workbench(server: server)
    server.setScript(flipping.script)
    results = pair.map(\.plain)
    workspace = try bench.workspace(
      Self.manifest(demand, unpacks: unpacks, digest: digests[0], retries: random.below(4)))
    if random.oneIn(2) {
      let before = Array("what was there before\n".utf8)
      try bench.folder.write(before, to: "out")
      old = before
    }
    self.random = random
  }

  private static func habits(_ random: inout SeededGenerator) -> FlippingServer.Habits {
    var habits = FlippingServer.Habits(
      tags: random.oneIn(2) ? .strong : random.pick(FlippingServer.Tags.allCases),
      flips: random.pick([0, 0, 10, 30, 50]), cuts: random.pick([30, 60, 90]), resets: random.pick([0, 50]),
      errors: random.pick([0, 0, 20]), ignoredRanges: random.pick([0, 0, 0, 20, 100]),
      ignoredIfRanges: random.pick([0, 30, 100]), oddRanges: random.pick([0, 0, 30]),
      chunked: random.pick([0, 0, 50]), refusedIfRanges: random.pick([0, 0, 30, 100]),
      digests: random.pick([0, 0, 50, 100]),
      route: random.oneIn(3) ? .direct : random.pick(FlippingServer.Route.allCases))
    // Half of these must resume.
    if habits.route == .signed, random.oneIn(2) {
      (habits.tags, habits.flips, habits.cuts, habits.errors, habits.chunked) = (.strong, 0, 90, 0, 0)
    }
    return habits
  }

  private static func manifest(_ demand: Guard, unpacks: Bool, digest: String, retries: Int) -> String {
    var steps: [String] = []
    var rule = "etag"
    switch demand {
    case .none: break
    case .verify: steps.append("verify: {sha256: \(digest)}")
    case .digestRule: rule = "{sha256: \(digest)}"
    case .sidecar: steps.append("verify: {sha256: {url: \"${env:BASE}/f.sha256\"}}")
    }
    if unpacks { steps.append("gunzip") }
    return """
      version: 1
      targets:
        f:
          url: ${env:BASE}/f
          output: out
          freshness: \(rule)
          steps: [\(steps.map { $0.contains(":") ? "{\($0)}" : $0 }.joined(separator: ", "))]
          retries: \(retries)
          \(Workbench.timeout)
      """
  }

  /// The number of runs that resumed a partial download.
  mutating func play(_ violation: (String) -> Void) throws -> Int {
    var resumed = 0
    for round in 0..<1 + random.below(5) {
      let stop = StopSignal()
      if random.oneIn(4) { flipping.stop(after: 1 + random.below(3)) { stop.stop() } }
      let outcome = try bench.run(workspace, Workbench.settings(), stop: stop)
      resumed += outcome.results.contains { $0.bytesResumed > 0 } ? 1 : 0
      check(outcome, "run \(round)", violation)
    }
    let version = flipping.becomeHonest()
    let owes = owesResumption
    let outcome = try bench.run(workspace, Workbench.settings())
    if owes {
      owedResumptions += 1
      if !outcome.results.contains(where: { $0.bytesResumed > 0 }) {
        violation("the undisturbed run did not go on from what was here (\(habits))")
      }
    }
    resumed += outcome.results.contains { $0.bytesResumed > 0 } ? 1 : 0
    check(outcome, "last run", violation)
    // A literal digest is that of the first version only. One of the twin hosts has bytes with another digest.
    if habits.route != .twins, version == 0 || demand == .none || demand == .sidecar {
      checkLast(outcome, version, violation)
    }
    return resumed
  }

  private mutating func check(_ outcome: RunOutcome, _ round: String, _ violation: (String) -> Void) {
    checkSignatures(outcome, round, violation)
    let now = bench.folder.read("out")
    if now == old { return }
    guard let version = results.firstIndex(where: { $0 == now }) else {
      violation("\(round) left \(now?.count ?? -1) bytes that are neither version")
      return
    }
    if outcome.results.first?.outcome == .failed { violation("\(round) failed, and replaced the file") }
    if version == 1, demand == .verify || demand == .digestRule {
      violation("\(round) put in place what does not have the digest")
    }
    old = now
  }

  /// Whether a part of the only version is present, fetched with a signature that is no longer valid.
  ///
  /// Without a length all bytes may be present, and the server then refuses the rest.
  private var owesResumption: Bool {
    habits.route == .signed && habits.chunked == 0 && habits.tags == .strong && habits.flips == 0
      && bench.partialBytes > 0
  }

  /// Signatures of redirects appear neither in the state nor in a result.
  private func checkSignatures(_ outcome: RunOutcome, _ round: String, _ violation: (String) -> Void) {
    if "\(outcome.results)".contains(FlippingServer.signatureMark) {
      violation("\(round) tells a signature: \(outcome.results)")
    }
    for file in bench.stateFiles(containing: FlippingServer.signatureMark) {
      violation("\(round) left a signature in \(file)")
    }
  }

  private func checkLast(_ outcome: RunOutcome, _ version: Int, _ violation: (String) -> Void) {
    if outcome.status != .ok {
      violation("the undisturbed run failed: \(String(describing: outcome.results.first?.failure))")
    }
    if isKnowable, bench.folder.read("out") != results[version] {
      violation("the undisturbed run did not end with what the server has (\(habits), \(demand))")
    }
  }

  /// Whether the common part of both versions cannot be mistaken for the different part.
  private var isKnowable: Bool {
    let tellsApart = habits.tags == .strong || habits.tags == .weak || habits.tags == .absent
    return switch habits.route {
    case .direct, .signed: tellsApart
    // On another host the date and the length are enough.
    case .mirrors:
      habits.tags == .absent || flipping.bodies[0].count != flipping.bodies[1].count && tellsApart
    case .twins: false
    }
  }
}
