import ContentPipeline
import LocalFiles
import StateStore
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// The publication of withheld folders that a killed run has decided.
@Suite struct WithheldFolderTests {
  private let bench: CommitterTests.Bench

  init() throws { bench = try CommitterTests.Bench() }

  private var folders: WithheldFolders { WithheldFolders(bench.state, for: bench.root) }

  /// Withholds a folder with one file, and says what is in its place.
  private func withhold(_ name: String, file: String) throws -> WithheldOutput {
    let output = try RelativePath(name)
    let bytes = Array("new".utf8)
    let order = StagedTree.Order(
      output: output, key: TreeOutputs.key(of: output), rules: TreeRules(), old: nil, edits: .refuse)
    let tree = try StagedTree(order, in: bench.state, root: bench.root)
    try tree.beginFile(Array(file.utf8), size: Int64(bytes.count), mode: 0o644, modified: nil)
    try bytes.withUnsafeBytes { try tree.write($0) }
    try tree.endFile(sha256: Digester.digest(bytes, .sha256))
    let entries = try tree.finish()
    try tree.sync()
    let signature = try folders.hold(tree, of: output)
    let digest = TreeListing(entries, signature: signature).digest
    let record = TargetRecord(
      name: TargetName(name), output: output, definition: [], signature: signature,
      content: ContentIdentity(size: Int64(bytes.count), digests: [.sha256: digest]),
      download: nil, validators: nil, inputs: [], checkedAt: signature.modified,
      updatedAt: signature.modified)
    let over = TreeOutputs(bench.root, statePath: bench.state.path).observe(output, keepingEdits: false)
    return WithheldOutput(record: record, keepsTime: false, over: over)
  }

  @Test(arguments: [false, true])
  func `what came into the way of a folder since the decision stays, and stops no command`(
    isBegun: Bool
  ) throws {
    let outputs = [try withhold("a", file: "x"), try withhold("b", file: "y")]
    let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
    try store.apply(outputs.map { StateChange.withhold($0) } + [.decide(Publication(lock: nil))])
    if isBegun {
      let order = TreeOrder(rules: TreeRules(), edits: .refuse)
      #expect(try folders.publish(outputs[0].record.output, order, over: .missing) != nil)
    }
    try bench.folder.write("mine", to: "b/y/m")
    let publication = WithheldPublication(bench.root, bench.state, Manifest(fileName: "m", targets: []))
    try publication.completeOpen(in: store)
    #expect(bench.folder.text("b/y/m") == "mine")
    #expect(bench.folder.text("a/x") == (isBegun ? "new" : nil))
    let snapshot = try bench.snapshot()
    #expect(snapshot.publication == nil)
    #expect(snapshot.records.map(\.output.text) == (isBegun ? ["a"] : []))
    #expect(snapshot.withheld.map(\.record.output.text) == (isBegun ? ["b"] : ["a", "b"]))
    #expect(snapshot.withheld.allSatisfy { $0.over == nil })
  }
}
