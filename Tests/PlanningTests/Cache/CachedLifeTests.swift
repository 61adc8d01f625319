import SyncModel
import Testing

@testable import Planning

/// Lives of targets with a cache that other roots have filled.
@Suite struct CachedLifeTests {
  private func result(_ ending: MachineWorld.Ending) -> TargetResult? {
    if case .result(let result) = ending { result } else { nil }
  }

  private func planned(_ ending: MachineWorld.Ending) -> PlannedTarget? {
    if case .planned(let planned) = ending { planned } else { nil }
  }

  private static func pinning(_ version: UInt8) -> FreshnessRule {
    .digest(DigestRule(algorithm: .sha256, expected: .literal(MachineWorld.digest(version))))
  }

  /// A root without files whose cache another root has filled.
  private func world(
    _ rule: FreshnessRule, cachedBy first: FreshnessRule? = nil, steps: [Step] = [],
    _ change: (inout MachineWorld) -> Void = { _ in }
  ) throws -> MachineWorld {
    var other = MachineWorld(first ?? rule, seed: 1)
    other.cache = MachineWorld.Cache()
    change(&other)
    let ended = try result(other.live())
    #expect(ended?.from == .origin)
    var world = MachineWorld(rule, steps: steps, seed: 2)
    world.cache = other.cache
    world.server = other.server
    return world
  }

  // MARK: A digest names the bytes

  @Test func `a digest in the manifest takes the body from the cache, and asks nobody`() throws {
    var world = try world(Self.pinning(1))
    let ended = try result(world.live())
    #expect(ended?.outcome == .updated)
    #expect(ended?.from == .localCache)
    #expect(ended?.bytesFromCache == MachineWorld.size(1))
    #expect(world.requests == 0)
    #expect(world.outputVersion == 1)
    #expect(world.record?.validators?.etag == EntityTag("\"v1\""))
    #expect(try result(world.live())?.outcome == .fresh)
  }

  @Test func `without a record of the source nothing is said of it`() throws {
    var world = try world(Self.pinning(1))
    world.cache?.isTrusted = false
    #expect(try result(world.live())?.from == .localCache)
    #expect(world.record?.checkedAt == nil)
    #expect(world.record?.validators?.isEmpty == true)
  }

  @Test func `a record's time of check is not taken`() throws {
    var world = try world(Self.pinning(1))
    world.pass(3600)
    _ = try world.live()
    #expect(world.record?.checkedAt == nil)
    #expect(world.record?.validators?.etag == EntityTag("\"v1\""))
  }

  @Test func `the lock names the bytes`() throws {
    var world = try world(.etag)
    world.server.version = 2
    world.pin = Pin(
      source: .urls(["https://data.example/a.bin"]),
      download: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)),
      output: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)))
    let ended = try result(world.live())
    #expect(ended?.from == .localCache)
    #expect(world.requests == 0)
    #expect(world.outputVersion == 1)
  }

  @Test func `a sidecar need not name again what the lock names`() throws {
    var world = try world(.etag)
    // The world has no sidecars: a question for one would not be answered.
    world.target.steps = [
      .verifyDigest(.sha256, .sidecar(Sidecar(.web("https://data.example/a.sha256"))))
    ]
    world.pin = Pin(
      source: .urls(["https://data.example/a.bin"]),
      download: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)),
      output: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)))
    #expect(try result(world.live())?.from == .localCache)
    #expect(world.requests == 0)
  }

  @Test func `a bad file is dropped, and the source is asked`() throws {
    var world = try world(Self.pinning(1))
    world.cache?.files[MachineWorld.digest(1)] = 7
    let ended = try result(world.live())
    #expect(ended?.outcome == .updated)
    #expect(ended?.from == .origin)
    #expect(ended?.bytesFromCache == 0)
    #expect(world.outputVersion == 1)
    #expect(world.cache?.dropped == [MachineWorld.digest(1)])
    // The good bytes have taken its place.
    #expect(world.cache?.files[MachineWorld.digest(1)] == 1)
  }

  @Test func `a file whose size the lock or the record contradicts is dropped, and not read`() throws {
    var locked = try world(.etag)
    locked.pin = Pin(
      source: .urls(["https://data.example/a.bin"]),
      download: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)),
      output: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)))
    locked.cache?.files[MachineWorld.digest(1)] = 7
    // If it were read, this would be seen first.
    locked.cache?.fillsDisk = true
    #expect(try result(locked.live())?.from == .origin)
    #expect(locked.cache?.dropped == [MachineWorld.digest(1)])
  }

  @Test func `a file of the size that the lock says is right: its target fails if the disk is full`() throws {
    var world = try world(.etag)
    world.pin = Pin(
      source: .urls(["https://data.example/a.bin"]),
      download: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)),
      output: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)))
    world.cache?.fillsDisk = true
    let ended = try result(world.live())
    #expect(ended?.failure?.cause == .diskFull(path: "a.bin"))
    #expect(world.requests == 0)
  }

  @Test func `a body of a cache that fills the disk is left for the source's, and not dropped`() throws {
    var world = try world(Self.pinning(1))
    world.cache?.fillsDisk = true
    let ended = try result(world.live())
    #expect(ended?.outcome == .updated)
    #expect(ended?.from == .origin)
    #expect(world.cache?.dropped == [])
  }

  @Test func `a file that vanishes is a miss`() throws {
    var world = try world(Self.pinning(1))
    world.cache?.losesFiles = true
    #expect(try result(world.live())?.from == .origin)
    #expect(world.cache?.dropped == [])
  }

  @Test func `a file that its steps refuse is no reason to drop it`() throws {
    var world = try world(.etag, steps: [.verifyDigest(.sha256, .literal(MachineWorld.digest(1))), .gunzip])
    world.server.isCorrupt = true
    let ended = try result(world.live())
    #expect(ended?.outcome == .failed)
    #expect(world.cache?.dropped == [])
    #expect(world.wholeBodies == 1)
  }

  // MARK: The source names the bytes

  @Test func `a 304 to the validators of a record takes the body from the cache`() throws {
    var world = try world(.etag)
    let ended = try result(world.live())
    #expect(ended?.outcome == .updated)
    #expect(ended?.reason == .stale(.outputMissing))
    #expect(ended?.from == .localCache)
    #expect(world.requests == 1)
    #expect(world.wholeBodies == 0)
    #expect(world.record?.validators?.etag == EntityTag("\"v1\""))
    #expect(world.record?.checkedAt == world.now)
    let again = try result(world.live())
    #expect(again?.outcome == .fresh)
    #expect(again?.from == nil)
  }

  @Test func `a record is not asked about unless those who write to the cache are trusted`() throws {
    var world = try world(.etag)
    world.cache?.isTrusted = false
    #expect(try result(world.live())?.from == .origin)
    #expect(world.wholeBodies == 1)
  }

  @Test func `another version at the source is fetched, and kept`() throws {
    var world = try world(.etag)
    world.server.version = 2
    #expect(try result(world.live())?.from == .origin)
    #expect(world.outputVersion == 2)
    #expect(world.cache?.files[MachineWorld.digest(2)] == 2)
    #expect(world.cache?.records.values.first?.etag == EntityTag("\"v2\""))
  }

  @Test func `a new version that another root has fetched comes from the cache`() throws {
    var world = MachineWorld(.etag, seed: 1)
    _ = try world.live()
    var other = MachineWorld(.etag, seed: 2)
    other.cache = MachineWorld.Cache()
    other.server.version = 2
    other.pass(60)
    _ = try other.live()
    world.cache = other.cache
    world.server.version = 2
    world.pass(120)
    let ended = try result(world.live())
    #expect(ended?.from == .localCache)
    #expect(ended?.reason?.code == .validatorChanged)
    #expect(world.outputVersion == 2)
    #expect(world.wholeBodies == 1)
  }

  @Test func `a source that has the local version again keeps the file`() throws {
    var world = MachineWorld(.etag, seed: 1)
    _ = try world.live()
    var other = MachineWorld(.etag, seed: 2)
    other.cache = MachineWorld.Cache()
    other.server.version = 2
    other.pass(60)
    _ = try other.live()
    world.cache = other.cache
    world.pass(120)
    #expect(try result(world.live())?.outcome == .fresh)
    #expect(world.outputVersion == 1)
  }

  @Test func `a bad file of a record is dropped after the 304, and the body is fetched`() throws {
    var world = try world(.etag)
    world.cache?.files[MachineWorld.digest(1)] = 7
    #expect(try result(world.live())?.from == .origin)
    #expect(world.outputVersion == 1)
    #expect(world.requests == 2)
    #expect(world.cache?.dropped == [MachineWorld.digest(1)])
  }

  // MARK: A signed record says when the source was asked

  private static let hourly = FreshnessRule.interval(period: .seconds(3600), then: .etag)

  /// As ``world(_:cachedBy:steps:_:)``, with records that are signed.
  private func signedWorld(_ rule: FreshnessRule = hourly) throws -> MachineWorld {
    try world(rule) { $0.cache?.isSigned = true }
  }

  @Test func `within the interval a signed record takes the place of a question`() throws {
    var world = try signedWorld()
    let filled = world.now
    world.pass(1800)
    #expect(try planned(world.live(.plan))?.from == .localCache)
    let ended = try result(world.live())
    #expect(ended?.from == .localCache && ended?.reason == .stale(.outputMissing))
    #expect(world.requests == 0)
    #expect(world.record?.checkedAt == filled)
    // Its own interval began then, too.
    #expect(try result(world.live())?.outcome == .fresh)
    world.pass(1800)
    _ = try world.live()
    #expect(world.requests == 1)
  }

  @Test func `an unsigned one does not, and neither does one of the future or for another rule`() throws {
    var unsigned = try world(Self.hourly)
    _ = try unsigned.live()
    #expect(unsigned.requests == 1)
    var early = try signedWorld()
    early.pass(-60)
    _ = try early.live()
    #expect(early.requests == 1)
    var other = try signedWorld(.etag)
    _ = try other.live()
    #expect(other.requests == 1)
  }

  @Test func `after the interval one asks for all`() throws {
    var first = try signedWorld()
    first.pass(3600)
    #expect(try result(first.live())?.from == .localCache)
    #expect(first.requests == 1)
    var second = MachineWorld(Self.hourly, seed: 3)
    second.cache = first.cache
    second.pass(5400)
    #expect(try result(second.live())?.from == .localCache)
    #expect(second.requests == 0)
    #expect(second.record?.checkedAt == first.now)
  }

  @Test func `only a record that is signed is renewed`() throws {
    var world = try signedWorld()
    _ = try world.live()
    // Its bytes may be those of an unsigned record: the source says nothing of them.
    world.cache?.records = [:]
    world.pass(3600)
    #expect(try result(world.live())?.outcome == .fresh && world.requests == 1)
    #expect(world.cache?.records.isEmpty == true)
  }

  @Test func `a confirmed file with another ETag is not renewed`() throws {
    var world = try signedWorld(.interval(period: .seconds(3600), then: .mtime))
    _ = try world.live()
    let before = world.cache?.records
    // Another version of the same time: by the rule it is the same.
    for key in world.cache?.records.keys.map(\.self) ?? [] {
      world.cache?.records[key]?.etag = EntityTag("\"x\"")
    }
    let changed = world.cache?.records
    world.pass(3600)
    #expect(try result(world.live())?.outcome == .fresh && world.requests == 1)
    #expect(world.cache?.records == changed && changed != before)
  }

  @Test func `a reply that is private renews nothing`() throws {
    var world = try signedWorld()
    _ = try world.live()
    let before = world.cache?.records
    world.server.isPrivate = true
    world.pass(3600)
    #expect(try result(world.live())?.outcome == .fresh && world.requests == 1)
    #expect(world.cache?.records == before)
  }

  @Test func `a local file is confirmed by another's question`() throws {
    var mine = try signedWorld()
    _ = try mine.live()
    var other = mine
    mine.pass(3600)
    other.pass(3600)
    #expect(try result(other.live())?.outcome == .fresh)
    #expect(other.requests == 1)
    mine.cache = other.cache
    mine.pass(60)
    let ended = try result(mine.live())
    #expect(ended?.outcome == .fresh && mine.requests == 0)
    #expect(mine.record?.checkedAt == other.now)
  }

  @Test func `a newer version that another has fetched needs no question`() throws {
    var mine = try signedWorld()
    _ = try mine.live()
    var other = MachineWorld(Self.hourly, seed: 4)
    other.cache = mine.cache
    other.server.version = 2
    other.pass(3600)
    _ = try other.live()
    mine.cache = other.cache
    mine.pass(3660)
    let ended = try result(mine.live())
    #expect(ended?.outcome == .updated && ended?.from == .localCache && mine.requests == 0)
    #expect(mine.outputVersion == 2)
    #expect(mine.record?.checkedAt == other.now)
  }

  @Test func `bytes that a digest names get the time of a signed record`() throws {
    var world = try signedWorld(Self.pinning(1))
    let filled = world.now
    world.pass(60)
    _ = try world.live()
    #expect(world.requests == 0 && world.record?.checkedAt == filled)
  }

  // MARK: What is not shared

  @Test func `a private reply is not kept`() throws {
    var world = MachineWorld(.etag, seed: 1)
    world.cache = MachineWorld.Cache()
    world.server.isPrivate = true
    #expect(try result(world.live())?.from == .origin)
    #expect(world.cache?.files.isEmpty == true)
    #expect(world.cache?.records.isEmpty == true)
  }

  @Test func `a forced target is fetched from its source`() throws {
    var world = try world(Self.pinning(1))
    world.forces = true
    #expect(try result(world.live())?.from == .origin)
  }

  @Test func `without a cache nothing is said of one`() throws {
    var world = MachineWorld(.etag, seed: 1)
    #expect(try result(world.live())?.from == nil)
  }

  // MARK: Plans

  @Test func `a plan says where bytes would come from`() throws {
    var named = try world(Self.pinning(1))
    let cached = try planned(named.live(.plan))
    #expect(cached?.action == .update)
    #expect(cached?.from == .localCache)
    #expect(cached?.bytes == MachineWorld.size(1))
    #expect(named.requests == 0)
    var asked = try world(.etag)
    #expect(try planned(asked.live(.plan))?.from == .localCache)
    asked.server.version = 2
    let moved = try planned(asked.live(.plan))
    #expect(moved?.from == .origin)
    #expect(moved?.bytes == MachineWorld.size(2))
    var plain = MachineWorld(.etag, seed: 1)
    #expect(try planned(plain.live(.plan))?.from == nil)
  }

  @Test func `a plan does not count on a file whose size the lock contradicts`() throws {
    var world = try world(.etag)
    world.pin = Pin(
      source: .urls(["https://data.example/a.bin"]),
      download: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)),
      output: Pin.Content(size: MachineWorld.size(1), sha256: MachineWorld.digest(1)))
    #expect(try planned(world.live(.plan))?.from == .localCache)
    world.cache?.files[MachineWorld.digest(1)] = 7
    #expect(try planned(world.live(.plan))?.from == .origin)
    #expect(world.cache?.dropped == [])
    #expect(try result(world.live())?.from == .origin)
  }

  @Test func `a plan does not count on a version that the source did not have at the last check`() throws {
    var world = MachineWorld(.etag, seed: 1)
    _ = try world.live()
    var other = MachineWorld(.etag, seed: 2)
    other.cache = MachineWorld.Cache()
    other.server.version = 2
    other.pass(60)
    _ = try other.live()
    world.cache = other.cache
    world.pass(120)
    #expect(try result(world.live())?.outcome == .fresh)
    world.server.version = 2
    world.pass(60)
    #expect(try planned(world.live(.plan))?.from == .origin)
    #expect(try result(world.live())?.from == .origin)
  }

  @Test func `a record of other bytes than the named ones is not asked about`() throws {
    var world = try world(Self.pinning(2), cachedBy: .etag)
    #expect(try planned(world.live(.plan))?.from == .origin)
    let ended = try result(world.live())
    #expect(ended?.outcome == .failed)
    #expect(world.cache?.taken == 0)
  }

  // MARK: Random lives

  @Test(arguments: 0..<40 as Range<UInt64>) func `no cache, however damaged, makes a wrong output`(
    seed: UInt64
  ) throws {
    var random = Random(seed: seed)
    var cache = MachineWorld.Cache()
    let rules: [FreshnessRule] = [.etag, .mtime, Self.pinning(2), .once]
    for round in 0..<60 {
      var world = MachineWorld(rules[round % rules.count], seed: random.next())
      world.server.version = UInt8(1 + random.below(3))
      world.server.faults = 20
      world.server.sendsTags = random.percent(70)
      world.cache = cache
      for _ in 0..<3 {
        let stop = random.percent(20) ? Int(random.below(12)) : nil
        _ = try world.live(random.percent(15) ? .plan : .run, interruptedAt: stop)
        if random.percent(30) { world.removeOutput() }
        if random.percent(20) { world.server.version += 1 }
        world.pass(random.below(100))
        if random.percent(20), let digest = world.cache?.files.keys.randomElement(using: &random) {
          world.cache?.files[digest] = random.percent(50) ? nil : UInt8(1 + random.below(9))
        }
        world.cache?.losesFiles = random.percent(10)
      }
      cache = world.cache ?? cache
      cache.losesFiles = false
    }
    #expect(cache.taken > 0)
  }
}
