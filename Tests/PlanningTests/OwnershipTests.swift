import Planning
import SyncModel
import Testing

/// The owner of an output, for commands without a freshness rule: `status` and `clean`.
@Suite struct OwnershipTests {
  private func ownership(_ situation: Situation, sha256: HexDigest? = nil) -> Ownership {
    Ownership.of(
      situation.output, at: situation.target.output.path, record: situation.record,
      pending: situation.pending,
      sha256: sha256)
  }

  /// The old record is of `a`; a killed run was about to publish `c`.
  private func cutOff() -> Situation {
    Situation.inOrder().edited(nil).with {
      $0.pending = $0.record
      $0.pending?.content.digests[.sha256] = hex("c")
      $0.pending?.signature = Situation.rewritten
    }
  }

  @Test func `a file as recorded is unedited, without reading it`() throws {
    let situation = Situation.inOrder()
    let record = try #require(situation.record)
    #expect(ownership(situation) == .ours(record, needsRenewal: false))
    // An intention beside it was not carried out: otherwise the signature would differ.
    let intended = cutOff().with { $0.output = situation.output }
    #expect(ownership(intended) == .ours(record, needsRenewal: false))
  }

  @Test func `a file with other times is read, then it is unedited or edited`() throws {
    let moved = Situation.inOrder().edited(nil)
    let record = try #require(moved.record)
    #expect(ownership(moved) == .needsDigest(candidates: [record]))
    #expect(ownership(moved, sha256: hex("a")) == .ours(record, needsRenewal: true))
    #expect(
      ownership(moved, sha256: hex("f")) == .edited(record, expected: hex("a"), actual: hex("f")))
  }

  @Test func `a rename with the same bytes has happened if the inode is the new one`() throws {
    let again = cutOff().with {
      $0.pending?.content = $0.record!.content
      $0.pending?.checkedAt = Timestamp(seconds: 1)
    }
    let (record, pending) = (try #require(again.record), try #require(again.pending))
    #expect(record != pending)
    #expect(ownership(again, sha256: hex("a")) == .ours(pending, needsRenewal: true))
    let elsewhere = again.with { $0.pending?.signature.inode = 99 }
    #expect(ownership(elsewhere, sha256: hex("a")) == .ours(record, needsRenewal: true))
  }

  @Test func `a path without a file is missing, whatever is recorded`() throws {
    #expect(ownership(.inOrder().with { $0.output = .missing }) == .missing)
    #expect(ownership(cutOff().with { $0.output = .missing }) == .missing)
    #expect(ownership(.unrecorded().with { $0.output = .missing }) == .missing)
  }

  @Test func `a file without a record is unknown, also after it is read`() {
    let strangers = [
      Situation.unrecorded(), .inOrder().with { $0.record?.output = path("old") },
      .inOrder().with { $0.record?.content.digests = [:] },
      .unrecorded().with {
        $0.pending = Situation.inOrder().record
        $0.pending?.output = path("other")
      },
      .unrecorded().with {
        $0.pending = Situation.inOrder().record
        $0.pending?.content.digests = [:]
      },
    ]
    for situation in strangers {
      #expect(ownership(situation) == .unknown)
      #expect(ownership(situation, sha256: hex("a")) == .unknown)
    }
  }

  @Test(arguments: [PathFault.isLink, .isFolder, .isDevice, .parentIsLink("out")])
  func `something else in place of a recorded file is an edit; without a record it is unknown`(
    fault: PathFault
  ) throws {
    let replaced = Situation.inOrder().with { $0.output = .unusable(fault) }
    let record = try #require(replaced.record)
    #expect(ownership(replaced) == .edited(record, expected: hex("a"), actual: nil))
    #expect(ownership(.unrecorded().with { $0.output = .unusable(fault) }) == .unknown)
    #expect(ownership(replaced.with { $0.record?.output = path("old") }) == .unknown)
  }

  @Test func `a file that a run was about to publish is unedited, and so is the file before it`() throws {
    let situation = cutOff()
    let (record, pending) = (try #require(situation.record), try #require(situation.pending))
    #expect(ownership(situation) == .needsDigest(candidates: [record, pending]))
    #expect(ownership(situation, sha256: hex("c")) == .ours(pending, needsRenewal: true))
    #expect(ownership(situation, sha256: hex("a")) == .ours(record, needsRenewal: true))
    #expect(
      ownership(situation, sha256: hex("f")) == .edited(record, expected: hex("a"), actual: hex("f")))
  }

  @Test func `with an intention alone the file is that of the intention, an edit of it, or unknown`() throws {
    let situation = cutOff().with { $0.record = nil }
    let pending = try #require(situation.pending)
    #expect(ownership(situation) == .needsDigest(candidates: [pending, nil]))
    #expect(ownership(situation, sha256: hex("c")) == .ours(pending, needsRenewal: true))
    #expect(
      ownership(situation, sha256: hex("f")) == .edited(pending, expected: hex("c"), actual: hex("f")))
    let other = situation.with { $0.pending?.signature.inode = 99 }
    #expect(ownership(other, sha256: hex("f")) == .unknown)
  }
}
