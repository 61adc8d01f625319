import Planning
import SyncModel
import Testing

/// The effect of a pin on the table in the contract, section 3.
@Suite struct PinnedFreshnessTests {
  private static func pin(_ output: Character = "a", download: Character? = nil) -> Pin {
    Pin(
      source: .urls(["https://data.example/a.gz"]),
      download: Pin.Content(size: 123, sha256: hex(download ?? output)),
      output: Pin.Content(size: 456, sha256: hex(output)))
  }

  private static let rules: [FreshnessRule] = [
    .etag, .mtime, .once, .always, .interval(period: .seconds(1), then: .etag),
    .digest(DigestRule(algorithm: .md5, expected: .literal(hex("1", .md5)))),
    .digest(
      DigestRule(algorithm: .sha256, expected: .sidecar(Sidecar(.web("https://data.example/a.sha256"))))),
  ]

  @Test(arguments: rules) func `an output as locked is fresh, whatever the rule is`(
    rule: FreshnessRule
  ) {
    let situation = Situation.inOrder(rule).with { $0.pin = Self.pin() }
    #expect(situation.verdict == .fresh(.asLocked(hex("a"))))
  }

  @Test(arguments: rules) func `any other output is stale, whatever the rule is`(
    rule: FreshnessRule
  ) {
    let situation = Situation.inOrder(rule).with { $0.pin = Self.pin("b") }
    #expect(situation.verdict == .stale(.notAsLocked(locked: hex("b"), actual: hex("a"))))
    #expect(situation.decision.line == .rule)
  }

  @Test func `reasons from the lock have codes of their own`() {
    #expect(FreshReason.asLocked(hex("a")).code == .pinned)
    #expect(StaleReason.notAsLocked(locked: hex("a"), actual: hex("b")).code == .drifted)
  }

  @Test func `a target made from another is also fresh or stale by the lock`() {
    #expect(Situation.inOrder(nil).with { $0.pin = Self.pin() }.verdict == .fresh(.asLocked(hex("a"))))
    #expect(
      Situation.inOrder(nil).with { $0.pin = Self.pin("b") }.verdict
        == .stale(.notAsLocked(locked: hex("b"), actual: hex("a"))))
  }

  @Test func `a file without a record is read once`() {
    var situation = Situation.unrecorded().with { $0.pin = Self.pin() }
    #expect(situation.verdict == .undecided(.outputDigests([.sha256])))
    situation.facts.outputDigests = [.sha256: hex("a")]
    #expect(situation.verdict == .fresh(.asLocked(hex("a"))))
    situation.facts.outputDigests = [.sha256: hex("c")]
    #expect(situation.verdict == .stale(.notAsLocked(locked: hex("a"), actual: hex("c"))))
    #expect(situation.decision.line == .ruleWithoutRecord)
  }

  @Test func `an edit that gives the locked bytes does not count; any other does`() {
    let situation = Situation.inOrder().edited(hex("b")).with { $0.pin = Self.pin("b") }
    #expect(situation.verdict == .fresh(.asLocked(hex("b"))))
    // The record is of other bytes: a dependent is made again.
    #expect(situation.decision.record == nil)
    let other = Situation.inOrder().edited(hex("c")).with { $0.pin = Self.pin("b") }
    #expect(other.verdict == .refused(.outputModified(expected: hex("a"), actual: hex("c"))))
  }

  @Test func `such an edit does not count either where the target is locked anew, or fetched in any case`() {
    let pulled = Situation.inOrder().edited(hex("b")).with {
      $0.lockedOutput = hex("b")
      $0.mustKnowDownload = true
    }
    #expect(pulled.verdict == .stale(.neverSynced))
    #expect(pulled.decision.record == nil)
    #expect(pulled.with { $0.target.localChanges = .keep }.verdict == .stale(.neverSynced))
    let forced = pulled.with {
      $0.pin = Self.pin("b")
      $0.directive = .force
    }
    #expect(forced.verdict == .stale(.forced))
    let other = pulled.with { $0.lockedOutput = hex("c") }
    #expect(other.verdict == .refused(.outputModified(expected: hex("a"), actual: hex("b"))))
  }

  @Test func `a changed definition or dependency does not make an output as locked stale`() {
    let redefined = Situation.inOrder().with {
      $0.record?.definition[0].value = "https://elsewhere.example/a"
      $0.pin = Self.pin()
    }
    #expect(redefined.verdict == .fresh(.asLocked(hex("a"))))
    let needing = Situation.inOrder().needing(.settled(hex("2"))).with { $0.pin = Self.pin() }
    #expect(needing.verdict == .fresh(.asLocked(hex("a"))))
    let waiting = Situation.inOrder().needing(.wouldChange).with { $0.pin = Self.pin() }
    #expect(waiting.verdict == .fresh(.asLocked(hex("a"))))
  }

  @Test func `-W of a dependency makes an output as locked stale`() {
    let situation = Situation.inOrder().needing(.takenAsChanged).with { $0.pin = Self.pin() }
    guard case .stale(.dependencyChanged) = situation.verdict else {
      Issue.record("\(situation.verdict)")
      return
    }
  }

  @Test func `-o, a missing output, and -B have precedence over the lock`() {
    let situation = Situation.inOrder().with { $0.pin = Self.pin() }
    #expect(situation.with { $0.directive = .assumeFresh }.verdict == .fresh(.assumedFresh))
    #expect(situation.with { $0.output = .missing }.verdict == .stale(.outputMissing))
    #expect(situation.with { $0.directive = .force }.verdict == .stale(.forced))
  }

  @Test func `if the download must be known, a target is not fresh without it`() {
    let touched = Situation.touched(.once, steps: [.gunzip]).with { $0.mustKnowDownload = true }
    #expect(touched.verdict == .stale(.neverSynced))
    #expect(touched.with { $0.mustKnowDownload = false }.verdict == .fresh(.present))
    #expect(
      touched.with { $0.target.steps = [] }.with { $0.definition.removeLast() }
        .with { $0.record?.definition.removeLast() }.verdict == .stale(.neverSynced))
    #expect(
      Situation.inOrder(.once, steps: [.gunzip]).with { $0.mustKnowDownload = true }.verdict
        == .fresh(.present))
  }

  @Test func `for a lock, a target made from another is not fresh if its file was only found`() {
    let made = Situation.inOrder(nil).with {
      $0.record?.download = nil
      $0.mustKnowDownload = true
    }
    #expect(made.verdict == .fresh(.inputsUnchanged))
    let found = made.with {
      $0.record?.definition.append(DefinitionField(name: DefinitionField.found, value: "yes"))
    }
    #expect(found.verdict == .stale(.neverSynced))
    #expect(found.with { $0.mustKnowDownload = false }.verdict == .fresh(.inputsUnchanged))
    // An earlier version has recorded only the time of such a file.
    let earlier = made.with { situation in
      situation.record = situation.record.map { record in
        var record = record
        record.updatedAt = record.signature.modified
        return record
      }
    }
    #expect(earlier.verdict == .stale(.neverSynced))
  }

  private static let place = CommandPlace(" -f m")

  @Test func `only the locked bytes are accepted`() {
    let pin = Self.pin("a", download: "b")
    func identity(_ digit: Character) -> ContentIdentity {
      ContentIdentity(size: 1, digests: [.sha256: hex(digit)])
    }
    func mismatch(_ download: Character?, _ output: Character) -> FailureCause? {
      PinRules.mismatch(
        pin, of: TargetName("a"), at: Self.place, download: download.map(identity), output: identity(output))
    }
    #expect(mismatch("b", "a") == nil)
    #expect(mismatch(nil, "a") == nil)
    #expect(
      mismatch("c", "a")
        == .lockMismatch(
          name: TargetName("a"), place: Self.place, locked: hex("b"), actual: hex("c"), ofDownload: true))
    #expect(
      mismatch("b", "c")
        == .lockMismatch(
          name: TargetName("a"), place: Self.place, locked: hex("a"), actual: hex("c"), ofDownload: false))
    #expect(mismatch("b", "c")?.code == .lockMismatch)
  }

  @Test func `pinned, moved and drifted are distinguished`() {
    let pin = Self.pin()
    #expect(PinRules.standing(pin, here: hex("a")) == .pinned)
    #expect(PinRules.standing(pin, here: hex("b")) == .drifted)
    #expect(PinRules.standing(pin, here: nil) == .drifted)
    #expect(PinRules.standing(pin, here: hex("a"), hasMoved: true) == .moved)
    #expect(PinRules.standing(pin, here: nil, hasMoved: true) == .moved)
  }

  @Test func `the validators in a record of the locked bytes have precedence over the lock's`() {
    var pin = Self.pin()
    let record = Situation.inOrder().record
    var anywhere = Situation.validators
    anywhere.origin = .anyResource
    #expect(PinRules.validators(pin, record) == anywhere)
    #expect(PinRules.validators(pin, nil) == nil)
    pin.etag = EntityTag("\"x\"")
    #expect(PinRules.validators(pin, nil) == Validators(etag: EntityTag("\"x\""), origin: .anyResource))
    pin.output.sha256 = hex("b")
    #expect(PinRules.validators(pin, record)?.etag == EntityTag("\"x\""))
  }
}
