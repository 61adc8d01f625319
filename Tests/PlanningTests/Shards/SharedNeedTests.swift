import Planning
import SyncModel
import Testing

/// The life of a target that seed brings up to date, in another shard.
@Suite struct SharedNeedTests {
  private static let seed = Shard(.seed, of: 16)

  /// The actions of a run's machine for `situation`, in a shard.
  private func actions(_ situation: Situation) -> [TargetAction] {
    var question = situation.question
    question.seed = Self.seed
    let manifest = Manifest(
      fileName: "syncmake.yaml",
      targets: [
        Target(
          id: TargetID(0), name: TargetName("dep"), source: .urls([.web("https://data.example/dep")]),
          output: path("dep")), situation.target,
      ])
    let terms = TargetTerms(.run, manifest: manifest, graph: TargetGraph(manifest))
    var machine = TargetMachine(question, on: terms)
    return machine.begin()
  }

  private func result(_ situation: Situation) -> TargetResult? {
    for case .end(let result) in actions(situation) { return result }
    return nil
  }

  @Test(arguments: [
    FreshnessRule.etag, .mtime, .always, .interval(period: .seconds(60), then: .etag), .once,
  ])
  func `what is in order is left as it is, and nobody is asked`(_ rule: FreshnessRule) {
    let result = result(.inOrder(rule))
    #expect(result?.outcome == .fresh)
  }

  @Test func `the reason says so`() {
    #expect(result(.inOrder())?.reason == .fresh(.leftToSeed))
    #expect(result(.inOrder(.once))?.reason == .fresh(.present))
  }

  @Test func `a sidecar is not asked for, either`() throws {
    let sidecar = Sidecar(.web("https://data.example/a.md5"))
    let rule = FreshnessRule.digest(
      DigestRule(algorithm: .md5, expected: .sidecar(sidecar)))
    #expect(result(.inOrder(rule))?.reason == .fresh(.leftToSeed))
  }

  private static func missing() -> Situation {
    var situation = Situation.inOrder()
    situation.output = .missing
    return situation
  }

  private static func redefined() -> Situation {
    var situation = Situation.inOrder()
    situation.definition[0].value = "https://data.example/other"
    return situation
  }

  @Test func `what is out of date is refused, with its reason`() {
    let situations: [(Situation, ReasonCode)] = [
      (Self.missing(), .outputMissing), (Self.redefined(), .definitionChanged),
      (.unrecorded(), .neverSynced),
    ]
    for (situation, reason) in situations {
      let result = result(situation)
      #expect(result?.outcome == .failed)
      #expect(result?.failure?.cause == .needsSeed(Self.seed, why: reason))
    }
  }

  @Test func `the failure is not one that passes by itself`() {
    let cause = FailureCause.needsSeed(Self.seed, why: .outputMissing)
    #expect(cause.code == .offline)
    #expect(!cause.isOfRetriedKind)
  }
}
