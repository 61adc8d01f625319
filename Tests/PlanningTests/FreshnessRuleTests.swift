import Planning
import SyncModel
import Testing

/// Lines 7 and 8 for each rule: recorded, nothing recorded, and recorded by `--touch`.
@Suite struct FreshnessRuleTests {
  // etag

  @Test func `etag sends everything that is recorded`() {
    #expect(Situation.inOrder(.etag).verdict == .undecided(.source(Situation.validators)))
    let dateOnly = Validators(lastModified: "Mon, 13 Nov 2023 00:00:00 GMT", url: "https://data.example/a.gz")
    let situation = Situation.inOrder(.etag).with { $0.record?.validators = dateOnly }
    #expect(situation.verdict == .undecided(.source(dateOnly)))
  }

  @Test func `etag is fresh when the server confirms and stale when it does not`() {
    #expect(Situation.inOrder(.etag).confirmed().verdict == .fresh(.notModified(Situation.validators)))
    #expect(
      Situation.inOrder(.etag).changed().verdict
        == .stale(.validatorChanged(recorded: Situation.validators, observed: Situation.moved)))
  }

  @Test func `etag without a recorded validator is stale without asking`() {
    let nothing = Verdict.stale(.validatorChanged(recorded: nil, observed: nil))
    #expect(Situation.touched(.etag).verdict == nothing)
    let empty = Situation.inOrder(.etag).with {
      $0.record?.validators = Validators(url: "https://data.example/a.gz")
    }
    #expect(empty.verdict == nothing)
  }

  @Test func `etag without a record is stale as never synced`() {
    #expect(Situation.unrecorded(.etag).verdict == .stale(.neverSynced))
  }

  @Test func `an unrecorded file with other names is read first`() {
    let rule = DigestRule(algorithm: .md5, expected: .literal(Situation.md5Here))
    let rows: [(FreshnessRule, Set<DigestAlgorithm>)] = [
      (.etag, [.sha256]), (.mtime, [.sha256]), (.digest(rule), [.sha256, .md5]),
    ]
    for (rule, digests) in rows {
      let situation = Situation.unrecorded(rule).with { $0.hasOtherNames = true }
      #expect(situation.verdict == .undecided(.outputDigests(digests)))
      let plain = Situation.unrecorded(rule).edited()
      #expect(plain.with { $0.hasOtherNames = true }.decision == plain.decision)
    }
  }

  // mtime

  @Test func `mtime sends what is recorded`() {
    #expect(Situation.inOrder(.mtime).verdict == .undecided(.source(Situation.validators)))
    #expect(Situation.inOrder(.mtime).confirmed().verdict == .fresh(.notModified(Situation.validators)))
    #expect(
      Situation.inOrder(.mtime).changed().verdict
        == .stale(
          .newerRemote(recorded: Situation.validators.lastModified, observed: Situation.moved.lastModified)))
  }

  @Test func `mtime without a record, or after a touch, sends the file's own time for any URL`() {
    for situation in [Situation.unrecorded(.mtime), .touched(.mtime)] {
      #expect(situation.verdict == .undecided(.source(Situation.ownTime)))
      #expect(situation.confirmed().verdict == .fresh(.notModified(Situation.ownTime)))
      #expect(
        situation.changed().verdict
          == .stale(
            .newerRemote(recorded: Situation.ownTime.lastModified, observed: Situation.moved.lastModified)))
    }
    #expect(Situation.unrecorded(.mtime).confirmed().decision.line == .ruleWithoutRecord)
    #expect(Situation.touched(.mtime).confirmed().decision.line == .rule)
  }

  @Test func `mtime sends the ETag if the server never sent anything else`() {
    let tag = Validators(etag: EntityTag("\"a1\""), url: "https://data.example/a.gz")
    #expect(
      Situation.inOrder(.mtime).with { $0.record?.validators = tag }.verdict == .undecided(.source(tag)))
  }

  /// The output has the time of its creation, which is unrelated to its source's.
  @Test func `mtime never sends the time of a download without a validator`() {
    for validators in [nil, Validators(url: "https://data.example/a.gz")] {
      #expect(
        Situation.inOrder(.mtime).with { $0.record?.validators = validators }.verdict
          == .stale(.newerRemote(recorded: nil, observed: nil)))
    }
  }

  @Test func `mtime of a source file reports its times as dates`() {
    let was = Validators(fileStamp: "456-1700000000000000000", url: "data/a")
    let now = Validators(fileStamp: "456-1700086400500000000", url: "data/a")
    let situation = Situation.inOrder(.mtime).with { $0.record?.validators = was }
    #expect(situation.verdict == .undecided(.source(was)))
    #expect(
      situation.changed(now).verdict
        == .stale(
          .newerRemote(recorded: "Tue, 14 Nov 2023 22:13:20 GMT", observed: "Wed, 15 Nov 2023 22:13:20 GMT")))
  }

  // interval

  private let hour = Duration.seconds(3600)

  /// The last check is exactly an hour old.
  @Test func `interval: a check younger than the period is fresh, an older or equal one is for then`() {
    let longer = FreshnessRule.interval(period: hour + .nanoseconds(1), then: .always)
    #expect(
      Situation.inOrder(longer).verdict == .fresh(.withinInterval(age: hour, period: hour + .nanoseconds(1))))
    #expect(Situation.inOrder(.interval(period: hour, then: .always)).verdict == .stale(.always))
  }

  @Test func `interval: a check at this moment is fresh, one in the future is not`() {
    let rule = FreshnessRule.interval(period: hour, then: .always)
    let now = Situation.inOrder(rule).with { $0.now = Situation.checkedAt }
    #expect(now.verdict == .fresh(.withinInterval(age: .zero, period: hour)))
    let before = Situation.inOrder(rule).with {
      $0.now = Timestamp(nanoseconds: Situation.checkedAt.nanoseconds - 1)
    }
    #expect(before.verdict == .stale(.always))
  }

  @Test func `interval: the earliest and the latest time do not count as young`() {
    let rule = FreshnessRule.interval(period: hour, then: .always)
    for (checked, now) in [(Int64.min, Int64.max), (.max, .min), (.min, 0), (.min, -1)] {
      let situation = Situation.inOrder(rule).with {
        $0.record?.checkedAt = Timestamp(nanoseconds: checked)
        $0.now = Timestamp(nanoseconds: now)
      }
      #expect(situation.verdict == .stale(.always))
    }
  }

  @Test func `interval: after the period then decides, by line 7 if nothing is recorded`() {
    func rule(_ then: FreshnessRule) -> FreshnessRule { .interval(period: .seconds(1), then: then) }
    #expect(Situation.inOrder(rule(.etag)).verdict == .undecided(.source(Situation.validators)))
    #expect(Situation.inOrder(rule(.etag)).confirmed().verdict == .fresh(.notModified(Situation.validators)))
    #expect(Situation.inOrder(rule(.once)).verdict == .fresh(.present))
    #expect(Situation.unrecorded(rule(.etag)).verdict == .stale(.neverSynced))
    #expect(Situation.unrecorded(rule(.once)).verdict == .fresh(.present))
    #expect(Situation.unrecorded(rule(.mtime)).verdict == .undecided(.source(Situation.ownTime)))
    #expect(Situation.unrecorded(rule(.always)).verdict == .stale(.always))
  }

  @Test func `interval also counts from --touch`() {
    let rule = FreshnessRule.interval(period: .seconds(86400), then: .etag)
    #expect(Situation.touched(rule).verdict == .fresh(.withinInterval(age: hour, period: .seconds(86400))))
  }

  // once, always

  @Test func `once accepts any file, always accepts none`() {
    for make in [Situation.inOrder, { Situation.unrecorded($0, steps: $1, needs: $2) }] {
      #expect(make(.once, [], []).verdict == .fresh(.present))
      #expect(make(.always, [], []).verdict == .stale(.always))
    }
    #expect(Situation.touched(.once).verdict == .fresh(.present))
    #expect(Situation.touched(.always).verdict == .stale(.always))
  }
}

/// Lines 7 and 8 for the digest rule.
@Suite struct DigestRuleTests {
  private let here = Situation.md5Here
  private let elsewhere = Situation.md5Elsewhere

  private func literal(_ digest: HexDigest, of subject: DigestRule.Subject = .download) -> FreshnessRule {
    .digest(DigestRule(algorithm: .md5, expected: .literal(digest), of: subject))
  }

  private let sources: [DigestSource] = [
    .sidecar(Sidecar(.web("https://data.example/a.md5"))), .entry(TargetID(0), name: "a.gz"),
  ]

  private var matches: Verdict { .fresh(.digestMatches(.md5, here)) }

  private func differs(_ expected: HexDigest, from actual: HexDigest?) -> Verdict {
    .stale(.digestDiffers(.md5, expected: expected, actual: actual))
  }

  @Test func `the recorded download decides without reading the file`() {
    let situation = Situation.inOrder(literal(here), steps: [.gunzip]).with {
      $0.record?.download?.digests[.md5] = self.here
    }
    #expect(situation.verdict == matches)
    #expect(
      situation.with { $0.target.freshness = literal(elsewhere) }.verdict == differs(elsewhere, from: here))
  }

  @Test func `with of: output the recorded output decides without reading the file`() {
    let situation = Situation.inOrder(literal(here, of: .output), steps: [.gunzip]).with {
      $0.record?.download?.digests[.md5] = self.elsewhere
      $0.record?.content.digests[.md5] = self.here
    }
    #expect(situation.verdict == matches)
  }

  @Test(arguments: [DigestRule.Subject.download, .output])
  func `an output that equals the download is read once if its digest is not recorded`(
    subject: DigestRule.Subject
  ) {
    for situation in [Situation.inOrder, { Situation.unrecorded($0, steps: $1, needs: $2) }] {
      let situation = situation(literal(here, of: subject), [.verifySize(456)], [])
      #expect(situation.verdict == .undecided(.outputDigests([.sha256, .md5])))
      #expect(situation.read([.sha256: hex("a"), .md5: here]).verdict == matches)
      #expect(situation.read([.sha256: hex("a"), .md5: elsewhere]).verdict == differs(here, from: elsewhere))
    }
  }

  @Test func `with or without a record, a matching file is fresh and another one is stale, by line 7`() {
    let situation = Situation.unrecorded(literal(here))
    #expect(situation.read([.md5: here]).verdict == matches)
    #expect(situation.read([.md5: here]).decision.line == .ruleWithoutRecord)
    #expect(situation.read([.md5: elsewhere]).verdict == differs(here, from: elsewhere))
  }

  @Test func `with steps, of: output can be checked by reading, of: download cannot`() {
    let unpacked = Situation.unrecorded(literal(here, of: .output), steps: [.gunzip])
    #expect(unpacked.verdict == .undecided(.outputDigests([.sha256, .md5])))
    #expect(unpacked.read([.md5: here]).verdict == matches)
    #expect(Situation.unrecorded(literal(here), steps: [.gunzip]).verdict == .stale(.neverSynced))
    #expect(Situation.inOrder(literal(here), steps: [.gunzip]).verdict == differs(here, from: nil))
  }

  @Test func `after --touch the output decides if it can`() {
    #expect(Situation.touched(literal(here)).read([.md5: here]).verdict == matches)
    #expect(
      Situation.touched(literal(here, of: .output), steps: [.gunzip]).read([.md5: here]).verdict == matches)
    #expect(Situation.touched(literal(here), steps: [.gunzip]).verdict == differs(here, from: nil))
    let noted = Situation.touched(literal(here)).with { $0.record?.content.digests[.md5] = self.here }
    #expect(noted.verdict == matches)
  }

  @Test func `a published digest is fetched first, then compared`() {
    for source in sources {
      let rule = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: source))
      let situation = Situation.inOrder(rule)
      #expect(situation.verdict == .undecided(.expectedDigest(.md5, source)))
      #expect(situation.told(here).verdict == .undecided(.outputDigests([.sha256, .md5])))
      #expect(situation.told(here).read([.md5: here]).verdict == matches)
      #expect(Situation.unrecorded(rule).verdict == .undecided(.expectedDigest(.md5, source)))
    }
  }

  @Test func `a sidecar is not fetched if nothing local could be compared with it`() {
    let rule = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: sources[0]))
    #expect(Situation.unrecorded(rule, steps: [.gunzip]).verdict == .stale(.neverSynced))
  }

  @Test func `a sha256 rule does not read a recorded output`() {
    let rule = FreshnessRule.digest(DigestRule(algorithm: .sha256, expected: .literal(hex("a"))))
    #expect(Situation.inOrder(rule).verdict == .fresh(.digestMatches(.sha256, hex("a"))))
  }

  /// No question may lead to the same probe twice: that would be a loop.
  @Test func `a read that does not give the digest counts as a difference`() {
    #expect(Situation.inOrder(literal(here)).read([.sha256: hex("a")]).verdict == differs(here, from: nil))
  }
}
