import SyncModel
import Testing

@testable import Planning

/// Which verdicts one conditional request can confirm, so that the next run needs no other check.
@Suite struct RevalidationTests {
  private static let url = "https://data.example/a.gz"
  private let confirmed = Validators(url: url)

  private func revalidation(_ situation: Situation, _ confirmed: Validators? = nil) -> Revalidation? {
    var question = situation.question
    let asking = FreshnessRules.verdict(question)
    guard case .undecided(.source) = asking.verdict else {
      Issue.record("the source is not asked: \(asking.verdict)")
      return nil
    }
    question.facts.sourceAnswer = .confirmed
    return Revalidation(asking: asking, question, confirmed: confirmed ?? self.confirmed)
  }

  @Test(arguments: [FreshnessRule.etag, .mtime])
  func `a confirmed target is revalidated again`(rule: FreshnessRule) throws {
    let situation = Situation.inOrder(rule)
    let found = try #require(revalidation(situation))
    #expect(found.url == Self.url)
    #expect(found.conditions == situation.record?.validators)
    #expect(situation.output == .file(found.signature))
  }

  @Test func `a 304 may repeat the sent validators`() throws {
    let situation = Situation.inOrder(.etag)
    let known = try #require(situation.record?.validators)
    #expect(revalidation(situation, known) != nil)
  }

  @Test func `a 304 with something new must be recorded`() throws {
    let situation = Situation.inOrder(.etag)
    var other = try #require(situation.record?.validators)
    other.lastModified = "Thu, 01 Jan 1970 00:00:00 GMT"
    #expect(revalidation(situation, other) == nil)
    other = try #require(situation.record?.validators)
    other.etag = EntityTag("W/" + (other.etag?.text ?? "\"\""))
    #expect(revalidation(situation, other) == nil)
    #expect(revalidation(situation, Validators(url: "https://elsewhere.example/")) == nil)
  }

  /// Each is confirmed by its source, and each needs more than one plain request.
  @Test(arguments: [
    "interval", "headers", "authentication", "after", "needs", "short timeout", "short total", "local file",
    "redirected", "own time", "renewed", "renamed", "read",
  ])
  func `a target with other work is not a revalidation`(why: String) {
    var situation = Situation.inOrder(.etag)
    switch why {
    case "interval": situation.target.freshness = .interval(period: .seconds(1), then: .etag)
    case "headers": situation.target.headers = [RequestHeader(name: "X", value: "y")]
    case "authentication": situation.target.authentication = .netrc
    case "after": situation.target.after = [TargetID(1)]
    case "needs":
      situation.dependencies = [
        DependencyState(kind: .needs, name: TargetName("a"), content: .takenAsUnchanged)
      ]
    case "short timeout": situation.target.timeouts.stall = .milliseconds(1900)
    case "short total": situation.target.timeouts.total = .seconds(1)
    case "local file": situation.target.source = .urls([.file(path: "x", written: "x")])
    case "redirected": situation.record?.validators?.origin = .resource("https://mirror.example/file")
    case "own time": situation = .touched(.mtime)
    case "renewed":
      situation.output = .file(Situation.rewritten)
      situation.facts.outputDigests = [.sha256: hex("a")]
    case "renamed": situation.record?.name = TargetName("other")
    default: situation.facts.outputDigests = [.sha256: hex("a")]
    }
    #expect(revalidation(situation) == nil)
  }
}
