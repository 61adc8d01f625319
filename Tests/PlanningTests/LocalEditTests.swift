import Planning
import SyncModel
import Testing

/// Line 3: the output is no longer what syncmake wrote.
@Suite struct LocalEditTests {
  @Test func `a file with equal size and times is unedited without being read`() {
    #expect(Situation.inOrder(.once).verdict == .fresh(.present))
    #expect(!Situation.inOrder(.once).decision.recordNeedsRenewal)
  }

  /// Each difference in a signature alone makes the digest necessary.
  @Test(arguments: [
    FileSignature(
      size: 455, modified: Situation.signature.modified, changed: Situation.signature.changed, inode: 7),
    FileSignature(size: 456, modified: Situation.now, changed: Situation.signature.changed, inode: 7),
    FileSignature(size: 456, modified: Situation.signature.modified, changed: Situation.now, inode: 7),
    FileSignature(
      size: 456, modified: Situation.signature.modified, changed: Situation.signature.changed, inode: 8),
  ])
  func `if any part of the signature differs, the digest decides`(signature: FileSignature) {
    let other = Situation.inOrder(.once).with { $0.output = .file(signature) }
    #expect(other.verdict == .undecided(.outputDigests([.sha256])))
    #expect(other.decision.line == .edits)
    #expect(
      other.read([.sha256: hex("f")]).verdict
        == .refused(.outputModified(expected: hex("a"), actual: hex("f"))))
  }

  @Test func `a touched or restored file with the recorded digest is unedited, and its record is renewed`() {
    let situation = Situation.inOrder(.once).edited(hex("a"))
    #expect(situation.verdict == .fresh(.present))
    #expect(situation.decision.recordNeedsRenewal)
    #expect(situation.decision.record == situation.record)
  }

  @Test func `one read serves line 3 and the digest rule`() {
    let rule = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: .literal(Situation.md5Here)))
    #expect(Situation.inOrder(rule).edited(nil).verdict == .undecided(.outputDigests([.sha256, .md5])))
    let restored = Situation.inOrder(rule).edited(nil).read([.sha256: hex("a"), .md5: Situation.md5Here])
    #expect(restored.verdict == .fresh(.digestMatches(.md5, Situation.md5Here)))
  }

  @Test func `a recorded digest is not computed again`() {
    let rule = FreshnessRule.digest(DigestRule(algorithm: .md5, expected: .literal(Situation.md5Here)))
    let situation = Situation.inOrder(rule).edited(nil).with {
      $0.record?.content.digests[.md5] = Situation.md5Here
    }
    #expect(situation.verdict == .undecided(.outputDigests([.sha256])))
    #expect(situation.read([.sha256: hex("a")]).verdict == .fresh(.digestMatches(.md5, Situation.md5Here)))
  }

  @Test func `refuse fails the target and names both digests`() {
    #expect(
      Situation.inOrder().edited().verdict == .refused(.outputModified(expected: hex("a"), actual: hex("f"))))
  }

  @Test func `keep leaves the file and calls it fresh`() {
    let situation = Situation.inOrder().edited().with { $0.target.localChanges = .keep }
    #expect(situation.verdict == .fresh(.keptModified))
    #expect(situation.decision.line == .edits)
    #expect(!situation.decision.recordNeedsRenewal)
  }

  @Test func `overwrite treats it as stale`() {
    let situation = Situation.inOrder().edited().with { $0.target.localChanges = .overwrite }
    #expect(situation.verdict == .stale(.outputModified(recorded: hex("a"), actual: hex("f"))))
  }

  @Test(arguments: LocalChanges.allCases) func `--overwrite overrides every policy`(policy: LocalChanges) {
    let situation = Situation.inOrder().edited().with {
      $0.target.localChanges = policy
      $0.overwritesEdits = true
    }
    #expect(situation.verdict == .stale(.outputModified(recorded: hex("a"), actual: hex("f"))))
  }

  @Test func `--overwrite changes nothing for an unedited file`() {
    #expect(Situation.inOrder(.once).with { $0.overwritesEdits = true }.verdict == .fresh(.present))
  }

  @Test(arguments: [LocalChanges.refuse, .keep])
  func `nothing else in the table replaces an edited file`(policy: LocalChanges) {
    let edited = Situation.inOrder(.always).edited().with { $0.target.localChanges = policy }
    let pushed = [
      edited, edited.with { $0.directive = .force }, edited.with { $0.record?.definition[0].value = "x" },
      edited.needing(.takenAsChanged), edited.needing(.wouldChange), edited.changed(),
    ]
    for situation in pushed {
      switch (policy, situation.verdict) {
      case (.refuse, .refused(.outputModified)), (.keep, .fresh(.keptModified)): break
      case (_, let verdict): Issue.record("\(policy): \(verdict)")
      }
    }
  }

  @Test func `without the state an edit cannot be recognised`() {
    let situation = Situation.inOrder().edited().with { $0.record = nil }
    #expect(situation.verdict == .stale(.neverSynced))
    #expect(situation.decision.line == .ruleWithoutRecord)
  }

  @Test func `a record without a sha256 is damaged and is ignored`() {
    let situation = Situation.inOrder().edited(nil).with { $0.record?.content.digests = [:] }
    #expect(situation.verdict == .stale(.neverSynced))
  }
}

/// Line 3 after a run was killed between its intention and its record (contract, section 6, promise 2).
@Suite struct PendingTests {
  /// The old record is of `a`; the run was about to publish `c`.
  private func cutOff(output digest: HexDigest?) -> Situation {
    Situation.inOrder(.once).edited(digest).with {
      $0.pending = $0.record
      $0.pending?.content.digests[.sha256] = hex("c")
      $0.pending?.validators = Situation.moved
      $0.pending?.signature = Situation.rewritten
    }
  }

  @Test func `the new file is unedited, and the pending record is adopted`() {
    let situation = cutOff(output: hex("c"))
    #expect(situation.verdict == .fresh(.present))
    #expect(situation.decision.record == situation.pending)
    #expect(situation.decision.recordNeedsRenewal)
  }

  @Test func `the rule continues with an adopted record`() {
    let situation = cutOff(output: hex("c")).with { $0.target.freshness = .etag }
    #expect(situation.verdict == .undecided(.source(Situation.moved)))
  }

  @Test func `the digest is computed although the signature is that of the pending record`() {
    #expect(cutOff(output: nil).verdict == .undecided(.outputDigests([.sha256])))
  }

  @Test func `the old file is still unedited by its signature, without a read`() {
    let situation = cutOff(output: nil).with { $0.output = .file(Situation.signature) }
    #expect(situation.verdict == .fresh(.present))
    #expect(situation.decision.record == situation.record)
    #expect(!situation.decision.recordNeedsRenewal)
  }

  @Test func `the old file is still unedited by its digest`() {
    let situation = cutOff(output: hex("a"))
    #expect(situation.decision.record == situation.record)
    #expect(situation.decision.recordNeedsRenewal)
  }

  @Test func `a file that is neither the old nor the new one was edited`() {
    #expect(
      cutOff(output: hex("f")).verdict == .refused(.outputModified(expected: hex("a"), actual: hex("f"))))
  }

  @Test func `the very first fetch is recognised by its intention alone`() {
    let situation = cutOff(output: hex("c")).with { $0.record = nil }
    #expect(situation.verdict == .fresh(.present))
    #expect(situation.decision.line == .rule)
    #expect(situation.decision.record == situation.pending)
  }

  @Test func `the first file, changed in place after the crash, was edited`() {
    let situation = cutOff(output: hex("f")).with { $0.record = nil }
    #expect(situation.verdict == .refused(.outputModified(expected: hex("c"), actual: hex("f"))))
  }

  @Test func `a file from before the first fetch is unknown if the rename never happened`() {
    let situation = cutOff(output: hex("f")).with {
      $0.record = nil
      $0.pending?.signature.inode = 99
      $0.target.freshness = .etag
    }
    #expect(situation.verdict == .stale(.neverSynced))
    #expect(situation.decision.record == nil)
  }

  @Test func `an intention for another output does not affect this one`() {
    let situation = cutOff(output: hex("c")).with { $0.pending?.output = path("other") }
    #expect(situation.verdict == .refused(.outputModified(expected: hex("a"), actual: hex("c"))))
  }

  @Test func `an intention for a moved output has precedence over the record of the old path`() {
    let situation = cutOff(output: hex("c")).with { $0.record?.output = path("old/a") }
    #expect(situation.verdict == .fresh(.present))
    #expect(situation.decision.record == situation.pending)
  }

  @Test func `with only an intention, the same read gives the digest rule its digest`() {
    let rule = DigestRule(algorithm: .md5, expected: .literal(Situation.md5Here))
    let situation = cutOff(output: nil).with {
      $0.record = nil
      $0.pending?.content.digests[.md5] = Situation.md5Here
      $0.target.freshness = .digest(rule)
    }
    #expect(situation.verdict == .undecided(.outputDigests([.sha256, .md5])))
  }
}
