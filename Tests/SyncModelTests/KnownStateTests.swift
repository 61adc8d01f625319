import SyncModel
import Testing

@Suite struct KnownStateTests {
  private func record(
    _ output: String, checked: Int64, updated: Int64 = 1, inode: UInt64 = 1
  ) throws -> TargetRecord {
    TargetRecord(
      name: TargetName(output), output: try RelativePath(output), definition: [],
      signature: FileSignature(
        size: 1, modified: Timestamp(seconds: 1), changed: Timestamp(seconds: 1), inode: inode),
      content: ContentIdentity(size: 1, digests: [:]), download: nil, validators: nil, inputs: [],
      checkedAt: Timestamp(seconds: checked), updatedAt: Timestamp(seconds: updated))
  }

  private func sidecar(_ url: String, _ text: String) -> SidecarRecord {
    SidecarRecord(url: url, validators: Validators(url: url), body: Array(text.utf8))
  }

  @Test func `what only another knows is taken over`() throws {
    var known = KnownState(
      StateSnapshot(records: [try record("b", checked: 5)]), isPlain: false, present: { _ in nil })
    let (a, c) = (try record("a", checked: 1), try record("c", checked: 1))
    let other = StateSnapshot(records: [a], pending: [c], sidecars: [sidecar("https://h/s", "x")])
    let news = known.learn(from: other)
    #expect(news == [.commit(a), .intend(c), .sidecar(sidecar("https://h/s", "x"))])
    #expect(known.snapshot.records.map(\.output.text) == ["a", "b"])
    #expect(known.snapshot.pending == [c])
    // Once it is known, it is no news.
    #expect(known.learn(from: other) == [])
  }

  @Test func `of two records of an output the later one counts, checked or made`() throws {
    let (old, new) = (try record("a", checked: 5, updated: 3), try record("a", checked: 1, updated: 6))
    var known = KnownState(StateSnapshot(records: [old]), isPlain: false, present: { _ in nil })
    #expect(known.learn(from: StateSnapshot(records: [new])) == [.commit(new)])
    #expect(known.snapshot.records == [new])
    #expect(known.learn(from: StateSnapshot(records: [old])) == [])
    // Of equal ones, one's own.
    let same = try record("a", checked: 6, updated: 0)
    #expect(known.learn(from: StateSnapshot(records: [same])) == [])
  }

  @Test func `of two records of an output that of the file that is there counts, whatever clocks say`() throws
  {
    let (ahead, right) = (try record("a", checked: 90_000, inode: 1), try record("a", checked: 5, inode: 2))
    for here in [right.signature, ahead.signature] {
      var known = KnownState(StateSnapshot(records: [ahead]), isPlain: false, present: { _ in here })
      let isRight = here == right.signature
      #expect(known.learn(from: StateSnapshot(records: [right])) == (isRight ? [.commit(right)] : []))
      var other = KnownState(StateSnapshot(records: [right]), isPlain: false, present: { _ in here })
      #expect(other.learn(from: StateSnapshot(records: [ahead])) == (isRight ? [] : [.commit(ahead)]))
    }
    // An edited file tells nothing.
    var known = KnownState(
      StateSnapshot(records: [right]), isPlain: false,
      present: { _ in
        FileSignature(size: 2, modified: .init(seconds: 9), changed: .init(seconds: 9), inode: 9)
      })
    #expect(known.learn(from: StateSnapshot(records: [ahead])) == [.commit(ahead)])
  }

  @Test func `of two equally old records of an output that of a shard counts, and not the plain one`() throws
  {
    let plain = try record("a", checked: 5)
    var renewed = plain
    renewed.definition = [DefinitionField(name: "url", value: "https://h/new")]
    let (mine, other) = (StateSnapshot(records: [plain]), StateSnapshot(records: [renewed]))
    var run = KnownState(mine, isPlain: true, present: { $0 == plain.output ? plain.signature : nil })
    #expect(run.learn(from: other) == [.commit(renewed)])
    // Another shard still has what it had taken over from the plain state.
    #expect(run.learn(from: mine) == [])
    var owner = KnownState(other, isPlain: false, present: { _ in nil })
    #expect(owner.learn(from: mine, isPlain: true) == [])
    #expect(owner.learn(from: mine) == [])
    var next = KnownState(mine, isPlain: false, present: { _ in nil })
    #expect(next.learn(from: mine, isPlain: true) == [])
    #expect(next.learn(from: other) == [.commit(renewed)])
  }

  @Test func `one's own intentions and sidecars stay`() throws {
    let (mine, other) = (try record("a", checked: 1), try record("a", checked: 2))
    var known = KnownState(
      StateSnapshot(pending: [mine], sidecars: [sidecar("https://h/s", "mine")]), isPlain: false,
      present: { _ in nil })
    let news = known.learn(from: StateSnapshot(pending: [other], sidecars: [sidecar("https://h/s", "other")]))
    #expect(news == [])
    #expect(known.snapshot.pending == [mine])
  }

  @Test func `what is withheld stays`() throws {
    var snapshot = StateSnapshot()
    snapshot.withheld = [WithheldOutput(record: try record("a", checked: 1), keepsTime: false)]
    snapshot.publication = Publication(lock: nil)
    var known = KnownState(snapshot, isPlain: false, present: { _ in nil })
    _ = known.learn(from: StateSnapshot(records: [try record("b", checked: 1)]))
    #expect(known.snapshot.withheld == snapshot.withheld)
    #expect(known.snapshot.publication == snapshot.publication)
  }
}
