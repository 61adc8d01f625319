import ContentPipeline
import Foundation
import LocalFiles
import StateStore
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// What counts as an edit where a target without a record writes, after runs of other targets.
@Suite struct EarlierEditsTests {
  private let bench: CommitterTests.Bench
  private let trees: TreeOutputs

  init() throws {
    bench = try CommitterTests.Bench()
    trees = TreeOutputs(bench.root, statePath: bench.state.path)
  }

  private func sha256(_ text: String) -> HexDigest { Digester.digest(Array(text.utf8), .sha256) }

  private func record(_ output: String, _ text: String, at second: Int64 = 1, inode: UInt64) throws
    -> TargetRecord
  {
    let time = Timestamp(seconds: second)
    return TargetRecord(
      name: TargetName("other"), output: try RelativePath(output), definition: [],
      signature: FileSignature(size: Int64(text.utf8.count), modified: time, changed: time, inode: inode),
      content: ContentIdentity(size: Int64(text.utf8.count), digests: [.sha256: sha256(text)]),
      download: nil, validators: nil, inputs: [], checkedAt: time, updatedAt: time)
  }

  private func target(_ output: String, isFolder: Bool) throws -> Target {
    var target = Target(
      id: TargetID(0), name: TargetName("t"), source: .urls([.web("http://a.example/f")]),
      output: try RelativePath(output))
    if isFolder { target.steps = [.unpack(UnpackRules(.folder(TreeRules())))] }
    return target
  }

  private func inode(_ output: String) throws -> UInt64 {
    guard case .file(let here) = bench.root.observe(try RelativePath(output)) else { return 0 }
    return here.inode
  }

  private func edits(in output: String, _ index: RecordIndex, isFolder: Bool = true) throws -> FailureCause? {
    trees.earlierEdits(at: try target(output, isFolder: isFolder), index)
  }

  @Test func `an edit of what a killed run has put in place is one`() throws {
    try bench.folder.write("edit", to: "d/f")
    let index = RecordIndex(StateSnapshot(pending: [try record("d/f", "ours", inode: try inode("d/f"))]))
    #expect(try edits(in: "d", index) == .filesModified(paths: ["f"], count: 1))
  }

  @Test func `what a killed run has put in place is no edit`() throws {
    try bench.folder.write("ours", to: "d/f")
    let pending = try record("d/f", "ours", inode: try inode("d/f"))
    let old = try record("d/f", "old", inode: 7)
    #expect(try edits(in: "d", RecordIndex(StateSnapshot(pending: [pending]))) == nil)
    #expect(try edits(in: "d", RecordIndex(StateSnapshot(records: [old], pending: [pending]))) == nil)
  }

  @Test func `a file that a killed run did not replace is no edit`() throws {
    try bench.folder.write("own", to: "d/f")
    let pending = try record("d/f", "ours", inode: try inode("d/f") + 1)
    #expect(try edits(in: "d", RecordIndex(StateSnapshot(pending: [pending]))) == nil)
  }

  @Test(arguments: [false, true])
  func `in a folder of a killed run, files are edits if the folder is in place`(isInPlace: Bool) throws {
    try bench.folder.write("edit", to: "d/f")
    let output = try RelativePath("d")
    guard
      case .file(let folder) = bench.root.observe(tree: output, by: [TreeListing](), keepingEdits: false).0
    else {
      Issue.record("no folder")
      return
    }
    let entry = TreeListing.Entry(
      path: Array("f".utf8), kind: .file(sha256: CompactDigest(sha256("ours")), isExecutable: false), size: 4)
    let pending = try record("d", "", inode: 7)
    let listing = TreeListing(
      [entry], signature: pending.signature, folder: isInPlace ? folder.inode : folder.inode + 1)
    try trees.shelf.write(listing, as: TreeOutputs.key(of: output), isNext: true)
    let index = RecordIndex(StateSnapshot(pending: [pending]))
    let expected = FailureCause.outputModified(expected: sha256("ours"), actual: sha256("edit"))
    #expect(try edits(in: "d/f", index, isFolder: false) == (isInPlace ? expected : nil))
  }

  @Test func `a folder in a recorded file's place is an edit`() throws {
    try bench.folder.write("own", to: "d/f/own")
    var old = try record("d/f", "ours", inode: 7)
    #expect(
      try edits(in: "d", RecordIndex(StateSnapshot(records: [old]))) == .filesModified(paths: ["f"], count: 1)
    )
    // A folder, or a file in one, may have taken the file's place with another target.
    let inner = try record("d/f/own", "own", inode: 8)
    #expect(try edits(in: "d", RecordIndex(StateSnapshot(records: [old, inner]))) == nil)
    old.definition = [DefinitionField(name: "steps", value: "unpack: {}")]
    #expect(try edits(in: "d", RecordIndex(StateSnapshot(records: [old]))) == nil)
  }

  @Test(arguments: ["a", "b"]) func `a link is an edit unless it leads where the recorded one does`(
    target: String
  ) throws {
    try bench.folder.write("own", to: "d/e/own")
    #expect(symlink(target, bench.folder.path("d/e/l")) == 0)
    var old = try record("d/e", "", inode: 7)
    old.definition = [DefinitionField(name: "steps", value: "unpack: {}")]
    let entry = TreeListing.Entry(path: Array("l".utf8), kind: .link(target: Array("a".utf8)))
    try trees.shelf.write(
      TreeListing([entry], signature: old.signature), as: TreeOutputs.key(of: old.output), isNext: true)
    let found = try edits(in: "d", RecordIndex(StateSnapshot(records: [old])))
    let edited = FailureCause.filesModified(paths: ["e/l"], count: 1)
    #expect(found == (target == "a" ? nil : edited))
  }

  @Test func `what a locked folder has is no edit`() throws {
    let output = try RelativePath("d")
    try bench.folder.write("mine", to: "d/f")
    try bench.folder.write("own", to: "d/g/own")
    let records = [try record("d/f", "ours", inode: 7), try record("d/g", "ours", inode: 8)]
    trees.noteEarlierEdits(in: output, RecordIndex(StateSnapshot(records: records)))
    func entry(_ path: String, _ text: String) -> TreeListing.Entry {
      TreeListing.Entry(
        path: Array(path.utf8), kind: .file(sha256: CompactDigest(sha256(text)), isExecutable: false),
        size: Int64(text.utf8.count))
    }
    let both = FailureCause.filesModified(paths: ["f", "g"], count: 2)
    #expect(trees.notedEdits(in: output, unlike: TreeEntries()) == both)
    #expect(
      trees.notedEdits(in: output, unlike: TreeEntries([entry("f", "new"), entry("g", "new")])) == both)
    #expect(
      trees.notedEdits(in: output, unlike: TreeEntries([entry("f", "mine"), entry("g/x", "new")])) == nil)
  }
}
