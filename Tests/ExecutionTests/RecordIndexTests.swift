import Planning
import SyncModel
import Testing

@testable import Execution

@Suite struct RecordIndexTests {
  func record(_ name: String, _ output: String) throws -> TargetRecord {
    TargetRecord(
      name: TargetName(name), output: try RelativePath(output), definition: [],
      signature: FileSignature(
        size: 1, modified: Timestamp(seconds: 1), changed: Timestamp(seconds: 1), inode: 1),
      content: ContentIdentity(size: 1, digests: [.sha256: HexDigest(bytes: [1])]), download: nil,
      validators: nil, inputs: [], checkedAt: Timestamp(seconds: 1), updatedAt: Timestamp(seconds: 1))
  }

  func target(_ name: String, _ output: String) throws -> Target {
    Target(
      id: TargetID(0), name: TargetName(name), source: .urls([.web("http://a.example/f")]),
      output: try RelativePath(output))
  }

  @Test func `a renamed target finds the record of its file`() throws {
    let index = RecordIndex(StateSnapshot(records: [try record("old", "f")]))
    #expect(index.record(for: try target("new", "f"))?.name == TargetName("old"))
  }

  @Test func `a target with a new output is found by its name`() throws {
    let index = RecordIndex(StateSnapshot(records: [try record("a", "old")]))
    #expect(try index.record(for: try target("a", "new"))?.output == RelativePath("old"))
  }

  @Test func `of several outputs with its name, the last one's record is used`() throws {
    var last = try record("a", "m")
    last.checkedAt = Timestamp(seconds: 2)
    let index = RecordIndex(StateSnapshot(records: [try record("a", "b"), last, try record("a", "z")]))
    #expect(try index.record(for: try target("a", "new"))?.output == RelativePath("m"))
  }

  @Test func `the path has precedence over the name`() throws {
    let index = RecordIndex(StateSnapshot(records: [try record("a", "x"), try record("b", "y")]))
    #expect(index.record(for: try target("a", "y"))?.name == TargetName("b"))
    #expect(index.record(for: try target("c", "z")) == nil)
  }
}
