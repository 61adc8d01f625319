import SyncModel
import Testing

@testable import StateStore

@Suite struct SnapshotRevisionTests {
  private let before = StateIdentity(numbers: [1, 2, 3, 4], header: [5, 6], changed: 4)
  private let after = StateIdentity(numbers: [7, 8, 9, 10], header: [11, 12], changed: 10)

  private func image(targets: Int) throws -> SnapshotImage {
    try #require(
      SnapshotImage(SnapshotLayout.encode(try SnapshotSample.make(targets: targets), before, stateSum: nil)))
  }

  private func signature(_ size: Int64) -> FileSignature {
    FileSignature(
      size: size, modified: Timestamp(nanoseconds: 1), changed: Timestamp(nanoseconds: 2), inode: 3)
  }

  /// New rows for some of the sample's targets.
  private func changes(_ premises: SnapshotPremises, _ outputs: [(String, PlainQuestion?)]) throws
    -> CompiledSnapshot
  {
    var changed = CompiledSnapshot(premises)
    for (output, question) in outputs {
      changed.add(
        TargetName("any"), output: try RelativePath(output), signature(77),
        in: TimeSpan(from: Timestamp(nanoseconds: 60), until: Timestamp(nanoseconds: 900)), asking: question)
    }
    return changed
  }

  @Test func `a revision replaces the rows of changed targets and keeps the others`() throws {
    let image = try image(targets: 50)
    let question = PlainQuestion(
      url: "http://host-1/changed", conditions: ["If-None-Match: \"new\""],
      host: .init(name: "host-1", connections: 9))
    let changed = try changes(image.premises, [("data/name 1", question), ("data/deep/name 2", nil)])
    let bytes = try #require(image.revised(with: changed, after, stateSum: nil))
    let revised = try #require(SnapshotImage(bytes))
    #expect(revised.count == 50 && revised.premises == image.premises)
    #expect(revised.state == after && revised.stateSum == nil)
    #expect(revised.period == image.period.intersection(changed.period))
    #expect(revised.signature(of: try RelativePath("data/name 1")) == signature(77))
    #expect(revised.signature(of: try RelativePath("data/deep/name 2")) == signature(77))
    for number in 3..<50 {
      let folder = ["", "data/", "data/deep/", "\u{e9}/", "e\u{301}/"][number % 5]
      let output = try RelativePath("\(folder)name \(number)")
      #expect(revised.signature(of: output) == image.signature(of: output))
    }
    let (old, new) = (try #require(image.questions()), try #require(revised.questions()))
    #expect(old.entries == new.entries)
    for index in old.entries.indices {
      let output = String(decoding: revised.outputs(of: [new.entries[index]]).dropLast(), as: UTF8.self)
      let isChanged = output == "data/name 1"
      #expect(
        String(cString: new.questions.url(index))
          == (isChanged ? "http://host-1/changed" : String(cString: old.questions.url(index))))
      #expect(
        new.questions.conditionLines(index)
          == (isChanged ? ["If-None-Match: \"new\""] : old.questions.conditionLines(index)))
    }
  }

  @Test func `a revision is not made if it would be incomplete`() throws {
    let image = try image(targets: 50)
    #expect(
      image.revised(with: try changes(image.premises, [("no/such", nil)]), after, stateSum: nil) == nil)
    let elsewhere = PlainQuestion(
      url: "http://other/1", conditions: ["If-None-Match: \"1\""], host: .init(name: "other", connections: 1))
    #expect(
      image.revised(with: try changes(image.premises, [("data/name 1", elsewhere)]), after, stateSum: nil)
        == nil)
    let longer = StateIdentity(numbers: [7, 8, 9, 10], header: [1, 2, 3], changed: 10)
    #expect(
      image.revised(with: try changes(image.premises, [("data/name 1", nil)]), longer, stateSum: nil) == nil)
  }

  @Test func `nothing is revised if the snapshot tells what became of each target`() throws {
    var snapshot = try SnapshotSample.make(targets: 3)
    snapshot.confirmed = SnapshotSample.confirmed(3)
    let image = try #require(SnapshotImage(SnapshotLayout.encode(snapshot, before, stateSum: nil)))
    let changed = try changes(image.premises, [("data/name 1", nil)])
    #expect(image.revised(with: changed, after, stateSum: nil) == nil)
  }
}
