import SyncModel
import Testing

@testable import Planning

@Suite struct TargetMachineTests {
  private func outcome(_ ending: MachineWorld.Ending) -> Outcome? {
    if case .result(let result) = ending { result.outcome } else { nil }
  }

  private func planned(_ ending: MachineWorld.Ending) -> PlanAction? {
    if case .planned(let planned) = ending { planned.action } else { nil }
  }

  // MARK: Single lives

  @Test func `a first run fetches, and a second run revalidates`() throws {
    var world = MachineWorld(.etag, seed: 1)
    #expect(try outcome(world.live()) == .updated)
    #expect(world.outputVersion == 1)
    #expect(try outcome(world.live()) == .fresh)
    #expect(world.wholeBodies == 1)
  }

  @Test func `a new version is fetched, and an edited output is refused`() throws {
    var world = MachineWorld(.etag, seed: 1)
    _ = try world.live()
    world.server.version = 2
    #expect(try planned(world.live(.plan)) == .update)
    #expect(try outcome(world.live()) == .updated)
    #expect(world.outputVersion == 2)
    world.edit()
    #expect(try outcome(world.live()) == .failed)
    #expect(world.outputVersion == MachineWorld.edit)
  }

  @Test func `a stopped download resumes where it stopped`() throws {
    var world = MachineWorld(.etag, seed: 3)
    world.server.faults = 100
    // Every request fails, so that there is nothing to resume.
    #expect(try outcome(world.live()) == .failed)
    world.server.faults = 60
    var runs = 0
    while world.outputVersion == nil, runs < 50 {
      _ = try world.live()
      runs += 1
    }
    #expect(world.outputVersion == 1)
    #expect(world.resumedBodies > 0)
  }

  @Test func `a body with a wrong digest fails the target`() throws {
    let rule = DigestRule(algorithm: .sha256, expected: .literal(MachineWorld.digest(9)))
    var world = MachineWorld(.digest(rule), seed: 1)
    #expect(try outcome(world.live()) == .failed)
    #expect(world.outputVersion == nil)
    #expect(world.record == nil)
  }

  // MARK: Refused bodies of which the server sent a digest

  /// A world whose target unpacks, with a server that sends digests.
  private func packedWorld(seed: UInt64 = 1) -> MachineWorld {
    var world = MachineWorld(.etag, steps: [.decompress(.gzip)], seed: seed)
    world.server.announcesDigests = true
    return world
  }

  private func cause(_ ending: MachineWorld.Ending) -> FailureCause? {
    if case .result(let result) = ending { result.failure?.cause } else { nil }
  }

  @Test func `a body that was damaged on its way is fetched again from its start`() throws {
    var world = packedWorld()
    world.server.damages = 100
    let failure = try cause(world.live())
    guard
      case .serverDigestMismatch(MachineWorld.url, let told, MachineWorld.digest(MachineWorld.mixture)) =
        failure
    else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(told.field == .checksumSHA256)
    #expect(world.wholeBodies == 3)
    #expect(world.resumedBodies == 0)
    world.server.damages = 0
    #expect(try outcome(world.live()) == .updated)
    #expect(world.resumedBodies == 0)
  }

  @Test(arguments: [true, false]) func `a file that its server has damaged fails by its decoder, once`(
    provesEnds: Bool
  ) throws {
    var world = packedWorld()
    world.server.isCorrupt = true
    world.server.provesEnds = provesEnds
    let failure = try cause(world.live())
    #expect(failure == .corrupt(Corruption(.gzip, offset: MachineWorld.size(1), text: "damaged")))
    #expect(world.wholeBodies == 1)
  }

  @Test func `a body that only its end lacks is resumed, though its digest differs`() throws {
    var resumed = 0
    for seed in 0..<50 as Range<UInt64> {
      var world = packedWorld(seed: seed)
      world.server.provesEnds = false
      world.server.faults = 30
      if try outcome(world.live()) == .updated { #expect(world.outputVersion == 1) }
      resumed += world.resumedBodies
    }
    #expect(resumed > 0)
  }

  // MARK: Random lives

  private static let rules: [FreshnessRule] = [
    .etag, .mtime, .once, .always, .interval(period: .seconds(60), then: .etag),
    .digest(DigestRule(algorithm: .sha256, expected: .literal(MachineWorld.digest(2)))),
  ]

  /// Sources that change, fail and cut bodies off, runs that are stopped, outputs that are edited or removed: the
  /// promises hold after each run.
  @Test(arguments: rules) func `no sequence of events breaks a promise`(_ rule: FreshnessRule) throws {
    for seed in 0..<400 as Range<UInt64> {
      var random = Random(seed: seed)
      let verify = Step.verifyDigest(.sha256, .literal(MachineWorld.digest(2)))
      var steps = random.percent(20) ? [verify] : []
      if random.percent(20) { steps.append(.decompress(.gzip)) }
      var world = MachineWorld(rule, steps: steps, seed: seed &+ 1)
      world.server.sendsTags = random.percent(80)
      world.server.tagsAreWeak = random.percent(20)
      world.server.sendsDates = random.percent(80)
      world.server.takesRanges = random.percent(80)
      world.server.provesEnds = random.percent(90)
      world.server.honoursConditions = random.percent(80)
      world.server.faults = [0, 10, 40].randomElement(using: &random) ?? 0
      world.server.changes = [0, 0, 15].randomElement(using: &random) ?? 0
      world.server.announcesDigests = random.percent(50)
      if world.server.announcesDigests { world.server.damages = [0, 10].randomElement(using: &random) ?? 0 }
      for _ in 0..<8 {
        switch random.below(10) {
        case 0: world.edit()
        case 1: world.removeOutput()
        case 2, 3: world.server.version += 1
        case 4: world.pass(100)
        default: break
        }
        let stop = random.percent(20) ? Int(random.below(8)) + 1 : nil
        do { _ = try world.live(interruptedAt: stop) } catch {
          Issue.record("seed \(seed): \(error)")
          return
        }
      }
    }
  }

  /// With a source that neither fails nor changes, a plan and the run after it agree.
  @Test(arguments: rules) func `a run does what its plan predicts`(_ rule: FreshnessRule) throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = Random(seed: seed)
      var world = MachineWorld(rule, seed: seed)
      world.server.version = 2
      world.server.sendsTags = random.percent(70)
      world.server.sendsDates = random.percent(70)
      world.server.honoursConditions = random.percent(70)
      _ = try world.live()
      if random.percent(30) { world.removeOutput() }
      if random.percent(30), rule.traits.compares != .digest { world.server.version = 3 }
      if random.percent(30) { world.pass(100) }
      let plan = try planned(world.live(.plan))
      let run = try outcome(world.live())
      #expect((plan == .fresh) == (run == .fresh), "seed \(seed)")
      #expect((plan == .update) == (run == .updated), "seed \(seed)")
    }
  }
}
