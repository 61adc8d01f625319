import SyncModel
import Testing

@testable import Planning

/// What a plan asks about the source of a pinned target: what an `update` would ask by the target's rule.
@Suite struct MoveQuestionTests {
  private static let sidecar = DigestSource.sidecar(Sidecar(.web("https://data.example/a.sum")))

  private func pin() -> Pin {
    Pin(
      source: .urls(["https://data.example/a.gz"]), download: Pin.Content(size: 123, sha256: hex("b")),
      output: Pin.Content(size: 456, sha256: hex("a")), etag: EntityTag("\"x\""))
  }

  private func situation(_ rule: FreshnessRule) -> Situation { .inOrder(rule, steps: [.gunzip]) }

  private func digest(_ algorithm: DigestAlgorithm, of: DigestRule.Subject = .download) -> FreshnessRule {
    .digest(DigestRule(algorithm: algorithm, expected: Self.sidecar, of: of))
  }

  @Test func `a digest rule's sidecar is compared with the lock`() {
    let target = situation(digest(.sha256)).target
    #expect(
      PinRules.question(pin(), nil, of: target) == .digest(.sha256, Self.sidecar, locked: hex("b")))
    let inside = situation(.interval(period: .seconds(9), then: digest(.sha256, of: .output))).target
    #expect(
      PinRules.question(pin(), nil, of: inside) == .digest(.sha256, Self.sidecar, locked: hex("a")))
  }

  @Test func `a digest that the lock does not have is compared with the record of the locked bytes`() {
    var situation = situation(digest(.md5))
    // Not known at all: the validators must do.
    let validators = PinRules.validators(pin(), situation.record)
    #expect(
      PinRules.question(pin(), situation.record, of: situation.target)
        == validators.map { .validators($0) })
    situation.record?.download?.digests[.md5] = hex("d", .md5)
    #expect(
      PinRules.question(pin(), situation.record, of: situation.target)
        == .digest(.md5, Self.sidecar, locked: hex("d", .md5)))
    // The record of other bytes says nothing of the locked ones.
    situation.record?.content = ContentIdentity(size: 1, sha256: hex("c"))
    situation.record?.download = ContentIdentity(
      size: 1, digests: [.sha256: hex("c"), .md5: hex("d", .md5)])
    #expect(
      PinRules.question(pin(), situation.record, of: situation.target)
        == pin().validators.map { .validators($0) })
  }

  @Test func `a line of another target's list is not compared, since the list may move itself`() {
    let rule = DigestRule(algorithm: .sha256, expected: .entry(TargetID(0), name: "a"))
    let target = situation(.digest(rule)).target
    #expect(PinRules.question(pin(), nil, of: target) == pin().validators.map { .validators($0) })
  }

  @Test func `another sha256 in the manifest does not say what the source has`() {
    func question(_ digest: HexDigest) -> MoveQuestion? {
      let rule = DigestRule(algorithm: .sha256, expected: .literal(digest))
      return PinRules.question(pin(), nil, of: situation(.digest(rule)).target)
    }
    #expect(question(hex("a")) == nil)
    #expect(question(hex("b")) != nil)
  }

  @Test(arguments: [
    (FreshnessRule.etag, FreshnessRule.etag), (.mtime, .mtime), (.once, .etag), (.always, .etag),
    (.interval(period: .seconds(1), then: .mtime), .mtime),
    (.digest(DigestRule(algorithm: .md5, expected: .literal(hex("1", .md5)))), .etag),
  ]) func `validators are compared by the rule of an update`(rule: FreshnessRule, judgedBy: FreshnessRule) {
    #expect(PinRules.rule(of: situation(rule).target) == judgedBy)
  }

  @Test func `without validators only a digest from the server can tell`() {
    var pin = pin()
    pin.etag = nil
    var situation = situation(.etag)
    situation.record?.validators = nil
    let target = situation.target
    #expect(PinRules.question(pin, nil, of: target) == .serverDigest)
    // It sent none with the recorded download.
    #expect(PinRules.question(pin, situation.record, of: target) == nil)
    situation.record?.hasServerDigest = true
    #expect(PinRules.question(pin, situation.record, of: target) == .serverDigest)
    situation.target.serverDigest = .ignore
    #expect(PinRules.question(pin, situation.record, of: situation.target) == nil)
    situation.target.serverDigest = .use
    situation.target.source = .urls([.file(path: "a", written: "a")])
    #expect(PinRules.question(pin, nil, of: situation.target) == nil)
  }
}
