import SyncModel
import Testing

@testable import Planning

/// A fast path decides by an ``Outlook`` that an earlier run left. Whatever it accepts, the machine finds fresh by the
/// same facts.
@Suite struct `What a fast path accepts` {
  private static let rules: [FreshnessRule] = [
    .etag, .mtime, .once, .always, .interval(period: .seconds(60), then: .etag),
    .interval(period: .seconds(60), then: .once),
    .digest(DigestRule(algorithm: .sha256, expected: .literal(MachineWorld.digest(2)))),
  ]

  /// A world after a few runs, and what may happen before the next one.
  private struct Case {
    var world: MachineWorld
    var random: Random

    init(_ rule: FreshnessRule, seed: UInt64) throws {
      random = Random(seed: seed)
      world = MachineWorld(rule, seed: seed)
      world.server.version = random.percent(70) ? 2 : 1
      world.server.sendsTags = random.percent(75)
      world.server.tagsAreWeak = random.percent(20)
      world.server.sendsDates = random.percent(75)
      world.server.honoursConditions = random.percent(85)
      for _ in 0...random.below(2) {
        _ = try world.live()
        if random.percent(30) { world.pass(random.below(100)) }
      }
    }

    mutating func happen() {
      switch random.below(12) {
      case 0: world.edit()
      case 1: world.removeOutput()
      case 2, 3: world.server.version += 1
      case 4: world.server.sendsTags.toggle()
      case 5: world.server.sendsDates.toggle()
      case 6: world.server.tagsAreWeak.toggle()
      case 7: world.server.honoursConditions.toggle()
      default: break
      }
      if random.percent(50) { world.pass(random.below(100)) }
    }
  }

  /// The snapshot's check, and its round if the source is asked.
  private func accepts(_ outlook: Outlook, in world: MachineWorld) -> Bool {
    switch outlook {
    case .stands(let standing):
      world.question.output == .file(standing.signature) && standing.period.contains(world.now)
    case .asks(let question):
      world.question.output == .file(question.signature) && question.url == MachineWorld.url
        && world.confirms(question.conditions)
    }
  }

  private func isFresh(_ ending: MachineWorld.Ending) -> Bool {
    switch ending {
    case .result(let result): result.outcome == .fresh
    case .planned(let planned): planned.action == .fresh
    }
  }

  /// The compiled snapshot, and the round that revalidates by it.
  @Test(arguments: rules) func `by its snapshot is fresh to the machine`(_ rule: FreshnessRule) throws {
    var (accepted, refused) = (0, 0)
    for seed in 0..<250 as Range<UInt64> {
      var example = try Case(rule, seed: seed)
      guard let outlook = Outlook(example.world.question) else { continue }
      example.happen()
      guard accepts(outlook, in: example.world) else {
        refused += 1
        continue
      }
      accepted += 1
      #expect(isFresh(try example.world.live(.plan)), "seed \(seed): a plan")
      let record = example.world.record
      #expect(isFresh(try example.world.live()), "seed \(seed): a run")
      // It leaves nothing to record but the time of a check.
      var expected = record
      if case .asks = outlook, let checkedAt = example.world.record?.checkedAt {
        expected?.checkedAt = checkedAt
      }
      #expect(example.world.record == expected, "seed \(seed): the record")
    }
    // Else nothing was tried.
    let isNeverFresh = rule == .always
    #expect(isNeverFresh ? accepted == 0 : accepted > 20, "\(accepted) accepted")
    #expect(isNeverFresh || refused > 5, "\(refused) refused")
  }

  /// Targets whose entries in the manifest were edited: their rows stay if the rules say so.
  @Test(arguments: rules) func `after an edit of the manifest is fresh to the machine`(_ rule: FreshnessRule)
    throws
  {
    var accepted = 0
    for seed in 1000..<1250 as Range<UInt64> {
      var example = try Case(rule, seed: seed)
      guard let before = Outlook(example.world.question) else { continue }
      example.happen()
      change(&example.world.target, &example.random)
      let question = example.world.question
      guard case .stands(let old) = before, accepts(before, in: example.world),
        let new = Standing(FreshnessRules.verdict(question), question), new.signature == old.signature,
        new.period.contains(question.now)
      else { continue }
      accepted += 1
      #expect(isFresh(try example.world.live()), "seed \(seed)")
    }
    #expect(rule.holdsByValidators || rule == .always || accepted > 10, "\(accepted) accepted")
  }

  private func change(_ target: inout Target, _ random: inout Random) {
    switch random.below(6) {
    case 0: target.freshness = Self.rules.randomElement(using: &random) ?? .etag
    case 1: target.steps = [.verifyDigest(.sha256, .literal(MachineWorld.digest(UInt8(random.below(3)))))]
    case 2: target.source = .urls([.web(MachineWorld.url + "2")])
    case 3: target.path = path("other")
    case 4: target.retries += 1
    default: target.maxSize = random.below(200_000)
    }
  }
}
