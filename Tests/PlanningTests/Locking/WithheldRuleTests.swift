import Planning
import SyncModel
import Testing

/// The next update's use of an output that an earlier one has withheld (contract, section 8).
@Suite struct WithheldRuleTests {
  /// The use of the withheld output with this situation's record.
  private func use(_ situation: Situation) throws -> WithheldRule.Use {
    WithheldRule.use(try #require(situation.record), for: situation.question)
  }

  private static let askingRules: [FreshnessRule] = [
    .etag, .mtime, .once, .interval(period: .seconds(1), then: .etag),
  ]

  @Test(arguments: askingRules) func `a rule that asks the source sends the withheld validators`(
    rule: FreshnessRule
  ) throws {
    #expect(try use(.inOrder(rule)) == .ask(Situation.validators))
    #expect(try use(.inOrder(rule).with { $0.record?.validators = nil }) == .drop)
    #expect(try use(.inOrder(rule).with { $0.record?.validators = Validators(url: "x") }) == .drop)
    #expect(try use(.inOrder(rule).with { $0.record?.download = nil }) == .drop)
  }

  @Test func `under always no withheld output is reused`() throws {
    #expect(try use(.inOrder(.always)) == .drop)
    #expect(try use(.inOrder(.interval(period: .seconds(1), then: .always))) == .drop)
  }

  @Test func `a target made from another needs no request`() throws {
    #expect(try use(.inOrder(nil)) == .take)
  }

  private static func rule(_ of: DigestRule.Subject, _ digest: HexDigest) -> FreshnessRule {
    .digest(DigestRule(algorithm: .sha256, expected: .literal(digest), of: of))
  }

  /// The output is `a`; with gunzip the download is `b`.
  @Test(arguments: [
    (DigestRule.Subject.download, Character("b"), WithheldRule.Use.take), (.download, "a", .drop),
    (.output, "a", .take), (.output, "b", .drop),
  ])
  func `a digest decides by the bytes that it covers`(
    subject: DigestRule.Subject, digit: Character, expected: WithheldRule.Use
  ) throws {
    #expect(try use(.inOrder(Self.rule(subject, hex(digit)), steps: [.gunzip])) == expected)
  }

  @Test func `a published digest decides once it is known`() throws {
    let sidecar = Sidecar(.web("https://data.example/a.sha256"))
    let situation = Situation.inOrder(
      .digest(DigestRule(algorithm: .sha256, expected: .sidecar(sidecar))))
    // Until the digest is known, the source can confirm it.
    #expect(try use(situation) == .ask(Situation.validators))
    #expect(try use(situation.told(hex("a"))) == .take)
    #expect(try use(situation.told(hex("c"))) == .drop)
  }

  private static func pin(output: Character, download: Character?) -> Pin {
    Pin(
      source: .urls(["https://data.example/a.gz"]),
      download: download.map { Pin.Content(size: 123, sha256: hex($0)) },
      output: Pin.Content(size: 456, sha256: hex(output)))
  }

  @Test(arguments: [
    (Character("a"), Character?("b"), WithheldRule.Use.take), ("a", nil, .take), ("a", "c", .drop),
    ("c", "b", .drop),
  ])
  func `a pin replaces the rule`(
    output: Character, download: Character?, expected: WithheldRule.Use
  ) throws {
    for rule: FreshnessRule in [.etag, .always] {
      let situation = Situation.inOrder(rule, steps: [.gunzip])
        .with { $0.pin = Self.pin(output: output, download: download) }
      #expect(try use(situation) == expected)
    }
  }

  private static let spoilers: KeyValuePairs<String, @Sendable (inout Situation) -> Void> = [
    "-B": { $0.directive = .force },
    "another output": { $0.target.path = path("elsewhere") },
    "another URL": { $0.record?.definition[0].value = "https://elsewhere.example/a" },
    "a dependency with other bytes": { $0 = $0.needing(.settled(hex("2"))).madeWith(hex("1")) },
    "-W of a dependency": { $0 = $0.needing(.takenAsChanged).madeWith(hex("1")) },
  ]

  @Test func `an output with another definition is never reused`() throws {
    let deciders: [Situation] = [
      .inOrder(), .inOrder(nil), .inOrder(Self.rule(.download, hex("a"))),
      .inOrder().with { $0.pin = Self.pin(output: "a", download: nil) },
    ]
    for (why, spoil) in Self.spoilers {
      for decider in deciders {
        #expect(try use(decider) != .drop)
        #expect(try use(decider.with(spoil)) == .drop, "\(why)")
      }
    }
  }

  @Test func `unchanged dependencies allow the reuse`() throws {
    #expect(try use(.inOrder(nil).needing(.settled(hex("1"))).madeWith(hex("1"))) == .take)
    #expect(try use(.inOrder(nil).needing(.takenAsUnchanged).madeWith(hex("1"))) == .take)
  }
}
