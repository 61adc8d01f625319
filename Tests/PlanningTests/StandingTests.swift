import SyncModel
import Testing

@testable import Planning

/// Which verdicts the next run may reuse without evaluating them, and until when.
@Suite struct StandingTests {
  private func standing(_ situation: Situation) -> Standing? {
    let question = situation.question
    return Standing(FreshnessRules.verdict(question), question)
  }

  private let always = TimeSpan.always
  private let hour = FreshnessRule.interval(period: .seconds(7200), then: .etag)

  @Test func `once holds for ever`() {
    #expect(standing(.inOrder(.once)) == expected(always))
  }

  @Test func `an interval holds from the last check until its end`() {
    let from = Situation.checkedAt
    let until = Timestamp(seconds: from.seconds + 7200)
    #expect(standing(.inOrder(hour)) == expected(TimeSpan(from: from, until: until)))
    let span = TimeSpan(from: from, until: until)
    #expect(!span.contains(Timestamp(nanoseconds: from.nanoseconds - 1)))
    #expect(span.contains(from))
    #expect(span.contains(Timestamp(nanoseconds: until.nanoseconds - 1)))
    #expect(!span.contains(until))
  }

  @Test func `an interval longer than all time holds until the last moment`() {
    let rule = FreshnessRule.interval(period: .seconds(Int64.max), then: .etag)
    #expect(standing(.inOrder(rule))?.period.until == Timestamp(nanoseconds: .max))
  }

  @Test func `a rule after an interval that is over holds for ever`() {
    #expect(standing(.inOrder(.interval(period: .seconds(1), then: .once))) == expected(always))
  }

  @Test func `a digest in the manifest holds, one in a sidecar does not`() {
    let literal = DigestRule(algorithm: .sha256, expected: .literal(hex("a", .sha256)))
    #expect(standing(.inOrder(.digest(literal))) == expected(always))
    let sidecar = DigestRule(
      algorithm: .sha256, expected: .sidecar(Sidecar(.web("https://data.example/a.sha256"))))
    var situation = Situation.inOrder(.digest(sidecar))
    situation.facts.expectedDigest = hex("a", .sha256)
    #expect(situation.decision.verdict == .fresh(.digestMatches(.sha256, hex("a", .sha256))))
    #expect(standing(situation) == nil)
  }

  @Test func `unchanged inputs hold`() {
    #expect(standing(.inOrder(nil)) == expected(always))
  }

  @Test func `a confirmation by the source does not hold`() {
    for rule in [FreshnessRule.etag, .mtime] {
      var situation = Situation.inOrder(rule)
      situation.facts.sourceAnswer = .confirmed
      guard case .fresh = situation.decision.verdict else {
        Issue.record("not fresh by \(rule)")
        continue
      }
      #expect(standing(situation) == nil)
    }
  }

  /// Each is fresh, but the next run must evaluate it again.
  @Test(arguments: [
    "assumed", "kept", "unrecorded", "renewed", "renamed", "read",
  ])
  func `a verdict for this run only does not hold`(why: String) throws {
    var situation = Situation.inOrder(.once)
    switch why {
    case "assumed": situation.directive = .assumeFresh
    case "kept":
      situation.target.localChanges = .keep
      situation.output = .file(elsewhere)
      situation.facts.outputDigests = [.sha256: hex("c", .sha256)]
    case "unrecorded": situation.record = nil
    case "renewed":
      situation.output = .file(elsewhere)
      situation.facts.outputDigests = [.sha256: hex("a", .sha256)]
    case "renamed": situation.record?.name = TargetName("before")
    default: situation.facts.outputDigests = [.sha256: hex("a", .sha256)]
    }
    guard case .fresh = situation.decision.verdict else {
      Issue.record("not fresh: \(situation.decision.verdict)")
      return
    }
    #expect(standing(situation) == nil)
  }

  @Test func `a verdict other than fresh does not hold`() {
    for situation in [Situation.inOrder(.always), .inOrder(.etag), .unrecorded(.etag)] {
      #expect(standing(situation) == nil)
    }
  }

  private var elsewhere: FileSignature {
    var signature = Situation.signature
    signature.inode += 1
    return signature
  }

  private func expected(_ period: TimeSpan) -> Standing? {
    var standing = Standing(Situation.inOrder(.once).decision, Situation.inOrder(.once).question)
    standing?.signature = Situation.signature
    standing?.period = period
    return standing
  }
}
