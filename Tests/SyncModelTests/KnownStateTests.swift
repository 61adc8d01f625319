import SyncModel
import Testing

@Suite struct KnownStateTests {
  private func record(_ output: String, checked: Int64, updated: Int64 = 1) throws -> TargetRecord {
    TargetRecord(
      name: TargetName(output), output: try RelativePath(output), definition: [],
      signature: FileSignature(
        size: 1, modified: Timestamp(seconds: 1), changed: Timestamp(seconds: 1), inode: 1),
      content: ContentIdentity(size: 1, digests: [:]), download: nil, validators: nil, inputs: [],
      checkedAt: Timestamp(seconds: checked), updatedAt: Timestamp(seconds: updated))
  }

  private func sidecar(_ url: String, _ text: String) -> SidecarRecord {
    SidecarRecord(url: url, validators: Validators(url: url), body: Array(text.utf8))
  }

  @Test func `what only another knows is taken over`() throws {
    var known = KnownState(StateSnapshot(records: [try record("b", checked: 5)]))
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
    var known = KnownState(StateSnapshot(records: [old]))
    #expect(known.learn(from: StateSnapshot(records: [new])) == [.commit(new)])
    #expect(known.snapshot.records == [new])
    #expect(known.learn(from: StateSnapshot(records: [old])) == [])
    // Of equal ones, one's own.
    let same = try record("a", checked: 6, updated: 0)
    #expect(known.learn(from: StateSnapshot(records: [same])) == [])
  }

  @Test func `one's own intentions and sidecars stay`() throws {
    let (mine, other) = (try record("a", checked: 1), try record("a", checked: 2))
    var known = KnownState(StateSnapshot(pending: [mine], sidecars: [sidecar("https://h/s", "mine")]))
    let news = known.learn(from: StateSnapshot(pending: [other], sidecars: [sidecar("https://h/s", "other")]))
    #expect(news == [])
    #expect(known.snapshot.pending == [mine])
  }

  @Test func `what is withheld stays`() throws {
    var snapshot = StateSnapshot()
    snapshot.withheld = [WithheldOutput(record: try record("a", checked: 1), keepsTime: false)]
    snapshot.publication = Publication(lock: nil)
    var known = KnownState(snapshot)
    _ = known.learn(from: StateSnapshot(records: [try record("b", checked: 1)]))
    #expect(known.snapshot.withheld == snapshot.withheld)
    #expect(known.snapshot.publication == snapshot.publication)
  }
}
