import SyncModel
import Testing

@testable import Planning

/// What the record of a fresh target says of its list.
@Suite struct `A renewed revision` {
  private static let md5 = ListedDigest(.md5, hex("d", .md5))

  private static func revision(_ version: String?, _ digests: [ListedDigest] = []) -> ListRevision {
    var revision = ListRevision()
    (revision.version, revision.digests) = (version, digests)
    return revision
  }

  /// A target that is in order, of which the list says `now`, and said `recorded`.
  private func situation(
    _ rule: FreshnessRule, now: ListRevision, recorded: ListRevision, template: String = "t"
  ) -> Situation {
    var situation = Situation.inOrder(rule)
    func definition(_ revision: ListRevision, template: String) -> [DefinitionField] {
      var target = situation.target
      target.source = .entry(
        Shared(
          ListedSource(
            urls: [.web("https://data.example/a.gz")], template: template, key: "k", revision: revision,
            origin: nil)))
      situation.target = target
      return Definition.fields(of: target, in: Manifest(fileName: "syncmake.yaml", targets: [target]))
    }
    let before = definition(recorded, template: "t")
    let after = definition(now, template: template)
    situation.record?.definition = before
    situation.definition = after
    return situation
  }

  /// The definition that is recorded if the situation's verdict is fresh; `nil` if the old one stays.
  private func renewed(_ situation: Situation) -> [DefinitionField]? {
    guard case .fresh(let reason) = situation.decision.verdict else {
      Issue.record("not fresh: \(situation.decision.verdict)")
      return nil
    }
    return situation.question.renewedDefinition(of: situation.record, by: reason)
  }

  private let hour = FreshnessRule.interval(period: .seconds(7200), then: .etag)

  @Test func `is not taken from a list by a rule that asks nobody`() {
    for (rule, now) in [
      (hour, Self.revision("2")), (hour, Self.revision(nil, [Self.md5])),
      (.once, Self.revision(nil, [Self.md5])),
    ] {
      let situation = situation(rule, now: now, recorded: Self.revision(nil))
      #expect(renewed(situation) == nil)
      // Nothing is to be recorded, so the verdict holds for the next run, too.
      #expect(Standing(situation.decision, situation.question) != nil)
    }
    #expect(renewed(situation(.once, now: Self.revision(nil), recorded: Self.revision("1"))) == nil)
  }

  @Test func `by once has what the list says for the first time, but for digests`() {
    let known = Self.revision("1", [Self.md5])
    let situation = situation(.once, now: known, recorded: Self.revision(nil))
    #expect(renewed(situation).flatMap(Definition.revision(in:)) == Self.revision("1"))
  }

  @Test func `is taken if the source confirms the bytes, with what the list no longer states`() {
    var situation = situation(.etag, now: Self.revision("2"), recorded: Self.revision(nil, [Self.md5]))
    situation.facts.sourceAnswer = .confirmed
    let found = renewed(situation)
    #expect(found.flatMap(Definition.revision(in:)) == Self.revision("2", [Self.md5]))
    situation.record?.definition = found ?? []
    // It is recorded once; then the list decides.
    #expect(situation.verdict == .fresh(.listUnchanged(.version)))
    #expect(renewed(situation) == nil)
  }

  @Test func `is taken if the list has the recorded one`() {
    let situation = situation(.once, now: Self.revision("1", [Self.md5]), recorded: Self.revision("1"))
    #expect(situation.verdict == .fresh(.listUnchanged(.version)))
    #expect(renewed(situation) == situation.definition)
    #expect(Standing(situation.decision, situation.question) == nil)
  }

  @Test func `is kept with what the list no longer states`() {
    let situation = situation(.once, now: Self.revision("1"), recorded: Self.revision("1", [Self.md5]))
    #expect(renewed(situation) == nil)
    #expect(Standing(situation.decision, situation.question) != nil)
  }

  @Test func `is taken by a digest only if that is asked now, or the list's`() {
    func digest(_ expected: DigestSource) -> FreshnessRule {
      .digest(DigestRule(algorithm: .sha256, expected: expected))
    }
    let literal = digest(.literal(hex("a")))
    #expect(renewed(situation(literal, now: Self.revision("2"), recorded: Self.revision(nil))) == nil)
    let sidecar = digest(.sidecar(Sidecar(.web("https://data.example/a.sha256"))))
    var asked = situation(sidecar, now: Self.revision("2"), recorded: Self.revision(nil))
    asked.facts.expectedDigest = hex("a")
    #expect(renewed(asked) == asked.definition)
    let md5 = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: .literal(Self.md5.value)))
    var listed = situation(md5, now: Self.revision(nil, [Self.md5]), recorded: Self.revision(nil))
    listed.record?.content.digests[.md5] = Self.md5.value
    listed.record?.download = nil
    #expect(renewed(listed) == listed.definition)
  }

  @Test func `does not come with the definition of a file that a lock keeps`() {
    var situation = situation(.etag, now: Self.revision("2"), recorded: Self.revision("1"), template: "u")
    situation.record?.definition.append(DefinitionField(name: "steps", value: "gunzip"))
    let recorded = situation.record?.definition ?? []
    let content = Pin.Content(size: 456, sha256: hex("a"))
    situation.pin = Pin(source: .urls(["https://data.example/a.gz"]), download: content, output: content)
    #expect(situation.verdict == .fresh(.asLocked(hex("a"))))
    let found = renewed(situation) ?? []
    func rest(_ fields: [DefinitionField]) -> [DefinitionField] {
      fields.filter { $0.name != DefinitionField.template }
    }
    #expect(rest(found) == rest(recorded))
    #expect(Definition.entry(in: found)?.template == "u")
  }

  @Test func `names the template of now`() {
    let situation = situation(
      hour, now: Self.revision("2"), recorded: Self.revision(nil), template: "u")
    let found = renewed(situation)
    #expect(found.flatMap(Definition.entry(in:))?.template == "u")
    #expect(found.flatMap(Definition.revision(in:)) == ListRevision())
    #expect(Standing(situation.decision, situation.question) == nil)
  }

  @Test func `is no matter of other targets`() {
    var listed = situation(.once, now: Self.revision("1"), recorded: Self.revision(nil))
    #expect(renewed(listed) != nil)
    listed.target.source = .urls([.web("https://data.example/a.gz")])
    let other = listed
    #expect(other.question.renewedDefinition(of: other.record, by: .present) == nil)
  }
}
