import ContentPipeline
import Foundation
import Planning
import Platform
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// A cache on a server answers anything; no run takes wrong bytes from it, fails for it, or loses more than three seconds.
@Suite struct CacheLieTests {
  @Test func `whatever a cache on a server answers, no output is wrong`() throws {
    let tally = TortureTally("cache-lies")
    let hits = Monitor(0)
    try Torture.play(usually: 60) { numbers in
      var trial = CacheLieTrial(seed: UInt64(numbers.lowerBound))
      for number in numbers {
        try trial.play { tally.violation("case \(number): \($0)") }
        tally.count()
      }
      hits.withLock { $0 += trial.hits }
    }
    let isClean = tally.close()
    #expect(isClean, "\(tally.firstViolations.joined(separator: "\n"))")
    #expect(hits.withLock { $0 } > 0)
  }
}

private struct CacheLieTrial {
  private static let names = ["a", "b", "c", "d", "e"]
  private var random: SeededGenerator
  private(set) var hits = 0
  /// Whether only signed records count; then others may lie about anything.
  private var isSigned = false
  private let signers = (own: CacheSigner.of(.one), other: CacheSigner.of(.two))

  init(seed: UInt64) { random = SeededGenerator(seed: Torture.seed, case: Int(seed)) }

  private func body(_ name: String) -> [UInt8] { Array("\(name) has these bytes\n".utf8) }

  mutating func play(_ violation: (String) -> Void) throws {
    isSigned = random.below(2) == 0
    let freshness = isSigned ? ", freshness: {interval: 1h}" : ""
    let manifest = try MemoryWorld.manifest(
      "version: 1\ndefaults: {retries: 0}\ntargets:\n"
        + Self.names.map {
          let rule =
            $0 < "d" ? ", freshness: {sha256: \(Digester.digest(body($0), .sha256).text)}" : freshness
          return "  \($0): {url: \"${env:BASE}/\($0)\"\(rule)}\n"
        }.joined())
    let world = MemoryWorld()
    for (place, name) in Self.names.enumerated() {
      world.network.on("/\(name)", .file(body(name), etag: "\"\(name)\""))
      let target = manifest.targets[place]
      let sha256 = Digester.digest(body(name), .sha256)
      world.network.on("/sm/cas/\(sha256.text)", reply(body(name)))
      guard let key = CacheRule.key(of: target, secrets: SecretMask()) else { continue }
      let value =
        isSigned
        ? signedValue(of: name, at: key, world) : value(of: name, at: key, nil, Timestamp(seconds: 1))
      world.network.on("/sm/ac/\(LocalCache.name(key).text)", reply(value))
    }
    var rule = RemoteCacheRule(url: "http://cache.example/sm")
    rule.trust = isSigned ? .signed : .writers
    rule.keys = [try MinisignKey(TestKey.one.shared)]
    var settings = RunSettings()
    settings.resources.jobs = 1 + random.below(5)
    settings.caches.remote = RemoteCacheSettings(rule, RemoteCacheHealth())
    let began = world.clock.monotonic()
    let results = try world.run(manifest, settings: settings)
    let time = world.clock.monotonic() - began
    if time > .seconds(3) { violation("it took \(time)") }
    for result in results {
      let name = result.name.text
      if result.from == .remoteCache { hits += 1 }
      if !result.hasSucceeded { violation("\(name) failed: \(String(describing: result.failure?.cause))") }
      if world.outputs.text(name) != String(decoding: body(name), as: UTF8.self) {
        violation("\(name) is \(world.outputs.text(name) ?? "missing")")
      }
    }
    let warnings = world.events.count { if case .warning = $0 { true } else { false } }
    if warnings > 1 { violation("\(warnings) warnings") }
  }

  /// A record that says what the source of `name` has.
  private func value(
    of name: String, at key: CacheKey, _ signer: CacheSigner?, _ checkedAt: Timestamp, lying: String? = nil
  ) -> [UInt8] {
    let content = body(lying ?? name)
    let record = CacheRecord(
      url: "\(MemoryWorld.base)/\(name)", etag: EntityTag("\"\(name)\""), size: Int64(content.count),
      sha256: Digester.digest(content, .sha256), checkedAt: checkedAt)
    return CacheValue(record, at: key, signedBy: signer).bytes
  }

  /// The truth, signed; or a lie that somebody else has signed, or nobody, or that has another record's signature.
  private mutating func signedValue(of name: String, at key: CacheKey, _ world: MemoryWorld) -> [UInt8] {
    let now = Timestamp(seconds: world.clock.now().seconds - Int64(random.below(4000)))
    let truth = value(of: name, at: key, signers.own, now)
    let lie = random.pick(Self.names)
    switch random.below(6) {
    case 0: return value(of: name, at: key, nil, now, lying: lie)
    case 1: return value(of: name, at: key, signers.other, now, lying: lie)
    case 2:
      let forged = CacheValue(
        name: LocalCache.name(key), bytes: value(of: name, at: key, signers.other, now, lying: lie))
      return forged.replacingSeal(by: CacheValue(name: forged.name, bytes: truth).seal).bytes
    case 3:
      // The record of another source is at this source's name.
      let other = CacheKey(url: "\(MemoryWorld.base)/\(lie)", headers: [])
      return value(of: lie, at: other, signers.own, now)
    default: return truth
    }
  }

  /// The truth, or something else.
  private mutating func reply(_ bytes: [UInt8]) -> Reply {
    var changed = bytes
    switch random.below(14) {
    case 0: return .status([204, 206, 301, 304, 400, 401, 404, 416, 500, 503, 507][random.below(11)])
    case 1:
      changed[random.below(changed.count)] ^= 1 << UInt8(random.below(8))
      return .status(200, body: changed)
    case 2: return .status(200, body: Array(bytes.prefix(random.below(bytes.count))))
    case 3: return .status(200, body: bytes + [0x2e])
    case 4: return .status(200, body: bytes).cut(after: random.below(bytes.count))
    case 5: return .status(200, body: bytes).held(until: "never")
    case 6: return .status(200, body: bytes).held(afterBody: random.below(bytes.count), until: "never")
    case 7: return .text("<html>no</html>", headers: [HeaderField("Content-Type", "text/html")])
    case 8: return .status(200, headers: [HeaderField("Content-Encoding", "gzip")], body: bytes)
    case 9: return .status(200, body: body(random.pick(Self.names)))
    default: return .status(200, body: bytes)
    }
  }
}
