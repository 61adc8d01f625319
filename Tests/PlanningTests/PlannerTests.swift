import Planning
import SyncModel
import Testing

@Suite struct PlannerTests {
  private let manifest: Manifest = {
    var manifest = PlanningTests.manifest(["list": [], "base": [], "first": [], "a": ["base"]])
    manifest.targets[3].after = [TargetID(2)]
    manifest.targets[3].steps = [
      .verifyDigest(.md5, .entry(TargetID(0), name: "a")),
      .verifyDigest(.sha1, .entry(TargetID(0), name: "a")),
    ]
    return manifest
  }()

  private func planned(
    _ verdict: Verdict, line: TableLine = .rule, record: TargetRecord? = nil, bytes: Int64? = nil
  )
    -> PlannedTarget
  {
    Planner.planned(
      manifest.targets[3], in: TargetGraph(manifest), by: Decision(verdict, line: line, record: record),
      bytes: bytes)
  }

  @Test func `every line names the target, its output and its needs, without those under after`() {
    let line = planned(.fresh(.present))
    #expect(line.id == TargetID(3))
    #expect(line.name == TargetName("a"))
    #expect(line.output.path == path("a"))
    #expect(line.needs == [TargetName("base"), TargetName("list")])
  }

  @Test func `fresh stays, stale is updated, a refusal is an error`() {
    #expect(planned(.fresh(.present)).action == .fresh)
    #expect(planned(.fresh(.present)).reason == .fresh(.present))
    let stale = planned(.stale(.forced), bytes: 123)
    #expect(stale.action == .update)
    #expect(stale.reason == .stale(.forced))
    #expect(stale.bytes == 123)
    let refused = planned(.refused(.offline))
    #expect(refused.action == .error)
    #expect(refused.failure == .offline)
    #expect(refused.reason == nil)
  }

  @Test func `bytes are reported only for updates`() {
    #expect(planned(.fresh(.present), bytes: 123).bytes == nil)
    #expect(planned(.undecided(.source(Situation.validators)), bytes: 123).bytes == nil)
  }

  @Test func `a target that depends on an update may be updated, and names the dependency and its reason`() {
    let record = Situation.inOrder().madeWith(.needs, hex("1")).with {
      $0.record?.inputs[0].name = TargetName("base")
    }.record
    let line = planned(.dependsOn([TargetName("base")]), line: .dependencies, record: record)
    #expect(line.action == .maybe)
    #expect(line.waitsFor == [TargetName("base")])
    #expect(
      line.reason
        == .stale(
          .dependencyChanged([
            DependencyChange(kind: .needs, name: TargetName("base"), was: hex("1"), now: nil)
          ])))
    #expect(line.failure == nil)
  }

  @Test func `a target that --offline does not allow to check may be updated, without a reason`() {
    for probe in [.source(Situation.validators), .expectedDigest(.md5, .literal(Situation.md5Here))]
      as [Probe]
    {
      let line = planned(.undecided(probe))
      #expect(line.action == .maybe)
      #expect(line.reason == nil)
      #expect(line.waitsFor.isEmpty)
    }
  }

  @Test func `a failed check is an error with its cause`() {
    let cause = FailureCause.httpStatus(500, url: "https://data.example/a")
    let line = Planner.failed(manifest.targets[3], in: TargetGraph(manifest), cause)
    #expect(line.action == .error)
    #expect(line.failure == cause)
    #expect(line.needs == [TargetName("base"), TargetName("list")])
  }

  @Test func `a plan has work if a target is or may be stale`() {
    #expect(!Plan(targets: [planned(.fresh(.present)), planned(.refused(.offline))]).hasWork)
    #expect(Plan(targets: [planned(.fresh(.present)), planned(.stale(.forced))]).hasWork)
    #expect(Plan(targets: [planned(.dependsOn([]))]).hasWork)
  }

  @Test(arguments: 1...8) func `an explanation has eight lines, one of which decides`(line: Int) {
    let lines = Explanation.lines(decidedAt: TableLine(rawValue: line))
    #expect(lines.map(\.asks.rawValue) == Array(1...8))
    #expect(lines.prefix(line - 1).allSatisfy { $0.finding == .passes })
    #expect(lines[line - 1].finding == .decides)
    #expect(lines.dropFirst(line).allSatisfy { $0.finding == .notReached })
  }
}

@Suite struct RunJudgementTests {
  private func result(
    _ outcome: Outcome, optional: Bool = false, skipped: SkipReason? = nil
  ) -> TargetResult {
    var result = TargetResult(
      id: TargetID(0), name: TargetName("a"), outcome: outcome, output: .file(path("a"), mode: nil))
    result.isOptional = optional
    result.skipped = skipped
    return result
  }

  @Test(arguments: [
    ([FailureCause.timeout(url: "u", phase: .total, after: .seconds(1))], true),
    ([.connectFailed(url: "u", text: "refused"), .httpStatus(503, url: "u")], true),
    ([.retryAfter(seconds: 90, status: 429, url: "u")], true),
    (
      [.stalled(url: "u", after: .seconds(1), received: 0, expected: nil), .httpStatus(404, url: "u")], false
    ),
    ([.tls(url: "u", text: "expired")], false),
    ([.sourceUnreadable(path: "p", .system("gone"))], false),
    ([.diskFull(path: "p")], false),
    ([], false),
  ])
  func `a failed run is temporary if all of its failures are transient`(
    causes: [FailureCause], expected: Bool
  ) {
    var results = causes.map { cause in
      var failed = result(.failed)
      failed.failure = TargetFailure(cause)
      return failed
    }
    results.append(result(.skipped, skipped: .runStopped))
    #expect(RunJudgement.isTemporary(results: results) == expected)
    #expect(RunJudgement.isTemporary(failures: causes) == expected)
    // Irrelevant facts have no effect.
    var optional = result(.failed, optional: true)
    optional.failure = TargetFailure(.httpStatus(404, url: "u"))
    #expect(RunJudgement.isTemporary(results: results + [optional]) == expected)
  }

  @Test func `a run is ok when everything is up to date`() {
    #expect(RunJudgement.status(results: [], interrupted: false) == .ok)
    #expect(RunJudgement.status(results: [result(.updated), result(.fresh)], interrupted: false) == .ok)
  }

  @Test func `one failure fails the run; an optional one and the targets skipped after it do not`() {
    let below = result(.skipped, skipped: .dependency(TargetName("a")))
    #expect(
      RunJudgement.status(results: [result(.fresh), result(.failed), below], interrupted: false) == .failed)
    #expect(
      RunJudgement.status(results: [result(.failed, optional: true), below], interrupted: false) == .ok)
    #expect(
      RunJudgement.status(results: [result(.failed, optional: true), result(.failed)], interrupted: false)
        == .failed)
  }

  @Test func `a run that stopped short is not ok`() {
    #expect(
      RunJudgement.status(results: [result(.skipped, skipped: .runStopped)], interrupted: false) == .failed)
  }

  @Test func `a --touch without a file fails nothing`() {
    #expect(
      RunJudgement.status(results: [result(.skipped, skipped: .nothingToTouch)], interrupted: false) == .ok)
  }

  @Test func `a signal decides the status before anything else`() {
    #expect(RunJudgement.status(results: [result(.failed)], interrupted: true) == .interrupted)
    #expect(RunJudgement.status(results: [], interrupted: true) == .interrupted)
  }
}
