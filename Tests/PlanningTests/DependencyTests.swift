import Planning
import SyncModel
import Testing

/// Line 6: the inputs that the target was made with.
@Suite struct DependencyTests {
  private let dep = TargetName("dep")
  private let entry = Step.verifyDigest(.md5, .entry(TargetID(0), name: "a.gz"))

  private func changed(
    _ kind: DependencyKind = .needs, was: HexDigest?, now: HexDigest?
  ) -> Verdict {
    .stale(.dependencyChanged([DependencyChange(kind: kind, name: dep, was: was, now: now)]))
  }

  @Test(arguments: [DependencyKind.needs, .from])
  func `equal content leaves the target alone, other content makes it stale`(kind: DependencyKind) {
    let situation = Situation.inOrder(.once).madeWith(kind, hex("1"))
    #expect(situation.needing(kind, .settled(hex("1"))).verdict == .fresh(.present))
    #expect(
      situation.needing(kind, .settled(hex("2"))).verdict == changed(kind, was: hex("1"), now: hex("2")))
    #expect(situation.needing(kind, .settled(hex("2"))).decision.line == .dependencies)
  }

  @Test func `a new dependency in needs makes the target stale, a removed one does not`() {
    let situation = Situation.inOrder(.once)
    #expect(situation.needing(.settled(hex("1"))).verdict == changed(was: nil, now: hex("1")))
    #expect(situation.madeWith(hex("1")).verdict == .fresh(.present))
  }

  @Test func `needs and from of one target are recorded separately`() {
    let situation = Situation.inOrder(.once).madeWith(.needs, hex("1")).needing(.from, .settled(hex("1")))
    #expect(situation.verdict == changed(.from, was: nil, now: hex("1")))
  }

  @Test func `a dependency under after never makes the target stale`() {
    for content in [.settled(hex("2")), .wouldChange, .takenAsChanged] as [DependencyState.Content] {
      #expect(
        Situation.inOrder(.once).madeWith(.after, hex("1")).needing(.after, content).verdict
          == .fresh(.present))
    }
  }

  @Test func `a verify line that no longer matches makes the target stale`() {
    let situation = Situation.inOrder(.once, steps: [entry]).madeWith(.verify, entry: "a.gz", hex("1", .md5))
    #expect(situation.needing(.verify, entry: "a.gz", .settled(hex("1", .md5))).verdict == .fresh(.present))
    #expect(
      situation.needing(.verify, entry: "a.gz", .settled(hex("2", .md5))).verdict
        == changed(.verify, was: hex("1", .md5), now: hex("2", .md5)))
  }

  @Test func `another line of the same list is another input`() {
    let situation = Situation.inOrder(.once, steps: [entry]).madeWith(.verify, entry: "b.gz", hex("1", .md5))
    #expect(
      situation.needing(.verify, entry: "a.gz", .settled(hex("1", .md5))).verdict
        == changed(.verify, was: nil, now: hex("1", .md5)))
  }

  @Test func `one line with two algorithms is compared for each`() {
    let situation = Situation.inOrder(.once, steps: [entry])
      .madeWith(.verify, entry: "a.gz", hex("1", .md5)).madeWith(.verify, entry: "a.gz", hex("1", .sha1))
      .needing(.verify, entry: "a.gz", .settled(hex("1", .md5)))
    #expect(situation.needing(.verify, entry: "a.gz", .settled(hex("1", .sha1))).verdict == .fresh(.present))
    #expect(
      situation.needing(.verify, entry: "a.gz", .settled(hex("2", .sha1))).verdict
        == changed(.verify, was: hex("1", .sha1), now: hex("2", .sha1)))
  }

  @Test func `a line that only the rule names, new in the manifest, is left to the rule`() {
    let rule = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: .entry(TargetID(0), name: "a.gz")))
    let situation = Situation.inOrder(rule).needing(.verify, entry: "a.gz", .settled(Situation.md5Here))
      .told(Situation.md5Here).read([.sha256: hex("a"), .md5: Situation.md5Here])
    #expect(situation.verdict == .fresh(.digestMatches(.md5, Situation.md5Here)))
  }

  @Test func `-W treats a dependency as changed, with or without a record`() {
    #expect(
      Situation.inOrder(.once).madeWith(hex("1")).needing(.takenAsChanged).verdict
        == changed(was: hex("1"), now: nil))
    #expect(Situation.unrecorded(.once).needing(.takenAsChanged).verdict == changed(was: nil, now: nil))
    #expect(Situation.unrecorded(.once).needing(.takenAsChanged).decision.line == .dependencies)
  }

  @Test func `-o treats a dependency as unchanged`() {
    #expect(
      Situation.inOrder(.once).madeWith(hex("1")).needing(.takenAsUnchanged).verdict == .fresh(.present))
    #expect(Situation.inOrder(.once).needing(.takenAsUnchanged).verdict == .fresh(.present))
  }

  @Test func `without a record no content can differ`() {
    #expect(Situation.unrecorded(.once).needing(.settled(hex("2"))).verdict == .fresh(.present))
  }

  @Test func `all changed dependencies are reported, in their order`() {
    func state(_ name: String, _ digit: Character) -> DependencyState {
      DependencyState(kind: .needs, name: TargetName(name), content: .settled(hex(digit)))
    }
    let situation = Situation.inOrder(.once).with {
      $0.dependencies = [state("z", "1"), state("m", "2"), state("b", "3")]
      $0.record?.inputs = [
        InputRecord(kind: .needs, name: TargetName("b"), digest: hex("9")),
        InputRecord(kind: .needs, name: TargetName("m"), digest: hex("2")),
        InputRecord(kind: .needs, name: TargetName("z"), digest: hex("8")),
      ]
    }
    #expect(
      situation.verdict
        == .stale(
          .dependencyChanged([
            DependencyChange(kind: .needs, name: TargetName("z"), was: hex("8"), now: hex("1")),
            DependencyChange(kind: .needs, name: TargetName("b"), was: hex("9"), now: hex("3")),
          ])))
  }

  // In planning, if a dependency would be updated first.

  @Test func `a fresh target waits for dependencies that would be updated`() {
    let situation = Situation.inOrder(.once).needing(.wouldChange).needing(.from, .wouldChange)
    #expect(situation.verdict == .dependsOn([dep]))
    #expect(situation.decision.line == .dependencies)
    #expect(Situation.inOrder(nil).needing(.from, .wouldChange).verdict == .dependsOn([dep]))
  }

  @Test func `a target that is stale in any case stays stale`() {
    let open = Situation.inOrder(.always).needing(.wouldChange)
    #expect(open.verdict == .stale(.always))
    #expect(open.with { $0.directive = .force }.verdict == .stale(.forced))
    #expect(open.with { $0.output = .missing }.verdict == .stale(.outputMissing))
    #expect(Situation.inOrder(.etag).needing(.wouldChange).changed().decision.line == .rule)
  }

  @Test func `a dependency that is known to have changed decides`() {
    let other = DependencyState(kind: .needs, name: TargetName("x"), content: .settled(hex("2")))
    let situation = Situation.inOrder(.once).needing(.wouldChange).with { $0.dependencies.append(other) }
    #expect(
      situation.verdict
        == .stale(
          .dependencyChanged([DependencyChange(kind: .needs, name: TargetName("x"), was: nil, now: hex("2"))])
        ))
  }

  @Test func `the server is still asked, and a refusal stays`() {
    let open = Situation.inOrder(.etag).needing(.wouldChange)
    #expect(open.verdict == .undecided(.source(Situation.validators)))
    #expect(open.confirmed().verdict == .dependsOn([dep]))
    #expect(open.edited().verdict == .refused(.outputModified(expected: hex("a"), actual: hex("f"))))
  }

  @Test func `-o and a kept edit are fresh without waiting for dependencies`() {
    let open = Situation.inOrder(.etag).needing(.wouldChange)
    #expect(open.with { $0.directive = .assumeFresh }.verdict == .fresh(.assumedFresh))
    #expect(open.edited().with { $0.target.localChanges = .keep }.verdict == .fresh(.keptModified))
  }

  @Test(arguments: [true, false])
  func `a digest rule whose list would be updated is not probed`(isRecorded: Bool) {
    let rule = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: .entry(TargetID(0), name: "a.gz")))
    let situation = isRecorded ? Situation.inOrder(rule) : .unrecorded(rule)
    #expect(situation.needing(.verify, entry: "a.gz", .wouldChange).verdict == .dependsOn([dep]))
    #expect(
      situation.needing(.needs, .wouldChange).verdict
        == .undecided(.expectedDigest(.md5, .entry(TargetID(0), name: "a.gz"))))
  }
}
