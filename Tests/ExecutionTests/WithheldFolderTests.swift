import ContentPipeline
import Foundation
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

  /// Withholds a folder with these files, and says what is in its place.
  private func withhold(_ name: String, files: [String]) throws -> WithheldOutput {
    let output = try RelativePath(name)
    let bytes = Array("new".utf8)
    let order = StagedTree.Order(
      output: output, key: TreeOutputs.key(of: output), rules: TreeRules(),
      old: TreeOutputs(bench.root, statePath: bench.state.path).listing(of: output, keepingEdits: false),
      edits: .refuse)
    let tree = try StagedTree(order, in: bench.state, root: bench.root)
    for file in files {
      try tree.beginFile(Array(file.utf8), size: Int64(bytes.count), mode: 0o644, modified: nil)
      try bytes.withUnsafeBytes { try tree.write($0) }
      try tree.endFile(sha256: Digester.digest(bytes, .sha256))
    }
    let entries = try tree.finish()
    try tree.sync()
    let signature = try folders.hold(tree, of: output)
    let digest = TreeListing(entries, signature: signature).digest
    let record = TargetRecord(
      name: TargetName(name), output: output, definition: [], signature: signature,
      content: ContentIdentity(size: entries.size, digests: [.sha256: digest]),
      download: nil, validators: nil, inputs: [], checkedAt: signature.modified,
      updatedAt: signature.modified)
    let over = TreeOutputs(bench.root, statePath: bench.state.path).observe(output, keepingEdits: false)
    return WithheldOutput(record: record, keepsTime: false, over: over)
  }

  @Test func `what came into the way of a folder since the decision takes it back, if nothing has begun`()
    throws
  {
    let (store, publication) = try decide(begun: false)
    try bench.folder.write("mine", to: "b/y/m")
    try publication.completeOpen(in: store)
    #expect(bench.folder.text("b/y/m") == "mine" && bench.folder.text("a/x") == nil)
    let snapshot = try bench.snapshot()
    #expect(snapshot.publication == nil && snapshot.records == [])
    #expect(snapshot.withheld.allSatisfy { $0.over == nil })
  }

  @Test func `once a folder is published, what is in the way of another one must go first`() throws {
    let (store, publication) = try decide(begun: true)
    try bench.folder.write("mine", to: "b/y/m")
    #expect(throws: FailureCause.outputUnwritable(path: "b/y", .isFolder)) {
      try publication.completeOpen(in: store)
    }
    #expect(bench.folder.text("b/y/m") == "mine" && bench.folder.text("a/x") == "new")
    try FileManager.default.removeItem(atPath: "\(bench.folder.path)/b/y")
    try publication.completeOpen(in: store)
    #expect(bench.folder.text("b/y") == "new")
    #expect(try bench.snapshot().records.map(\.output.text) == ["a", "b"])
  }

  @Test func `what a folder shares with the old one and has left that takes it back, if nothing has begun`()
    throws
  {
    let (store, publication) = try decide(begun: false, sharing: ["s"])
    try FileManager.default.removeItem(atPath: bench.folder.path("b/s"))
    try publication.completeOpen(in: store)
    #expect(bench.folder.text("a/x") == nil)
    let snapshot = try bench.snapshot()
    #expect(snapshot.publication == nil && snapshot.records == [] && snapshot.withheld.count == 2)
  }

  @Test(arguments: ["b/s", "b"])
  func `once a folder is published, one that shares what is gone is left to the next run`(gone: String) throws
  {
    let (store, publication) = try decide(begun: true, sharing: ["s"])
    try FileManager.default.removeItem(atPath: bench.folder.path(gone))
    try publication.completeOpen(in: store)
    #expect(bench.folder.text("a/x") == "new" && bench.folder.text("b/y") == nil)
    let snapshot = try bench.snapshot()
    #expect(snapshot.records.map(\.output.text) == ["a"])
    #expect(snapshot.publication == nil && snapshot.withheld.isEmpty)
    #expect(bench.state.withheldKeys().isEmpty)
  }

  @Test func `a file at the place of a folder that is still to be published is named`() throws {
    let (store, publication) = try decide(begun: true, sharing: ["s"])
    try FileManager.default.removeItem(atPath: bench.folder.path("b"))
    try bench.folder.write("mine", to: "b")
    #expect(throws: FailureCause.outputUnwritable(path: "b", .isFile)) {
      try publication.completeOpen(in: store)
    }
    #expect(bench.folder.text("b") == "mine")
    try FileManager.default.removeItem(atPath: bench.folder.path("b"))
    try publication.completeOpen(in: store)
    #expect(try bench.snapshot().publication == nil)
  }

  @Test func `a file at the place of a published folder does not stop the publication of the others`() throws
  {
    let (store, publication) = try decide(begun: true, sharing: ["s"])
    try FileManager.default.removeItem(atPath: bench.folder.path("a"))
    try bench.folder.write("mine", to: "a")
    try publication.completeOpen(in: store)
    #expect(bench.folder.text("a") == "mine" && bench.folder.text("b/y") == "new")
    #expect(try bench.snapshot().publication == nil)
  }

  @Test func `once a folder is published, the edit in another one is named with its folder`() throws {
    let (store, publication) = try decide(begun: true, sharing: ["s"])
    try bench.folder.write("mine", to: "b/s")
    #expect(throws: FailureCause.filesModified(paths: ["b/s"], count: 1)) {
      try publication.completeOpen(in: store)
    }
    #expect(bench.folder.text("b/s") == "mine")
    // What the hint says does help.
    try FileManager.default.removeItem(atPath: bench.folder.path("b/s"))
    try publication.completeOpen(in: store)
    #expect(try bench.snapshot().publication == nil)
  }

  /// A decided publication of two folders, the first of which is in place if it has `begun`; the second one shares the files
  /// `old` with that in its place.
  private func decide(
    begun: Bool, sharing old: [String] = []
  ) throws -> (StateStore, WithheldPublication) {
    if !old.isEmpty {
      let output = try withhold("b", files: old).record.output
      let order = TreeOrder(rules: TreeRules(), edits: .refuse)
      #expect(try folders.publish(output, order, over: .missing) != nil)
    }
    let outputs = [try withhold("a", files: ["x"]), try withhold("b", files: old + ["y"])]
    let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
    try store.apply(outputs.map { StateChange.withhold($0) } + [.decide(Publication(lock: nil))])
    if begun {
      let order = TreeOrder(rules: TreeRules(), edits: .refuse)
      #expect(try folders.publish(outputs[0].record.output, order, over: .missing) != nil)
    }
    return (store, WithheldPublication(bench.root, bench.state, Manifest(fileName: "m", targets: [])))
  }

  @Test
  func `of a folder whose edits are kept, a listing that never got its place does not tell the content`()
    throws
  {
    let output = try withhold("b", files: ["y"]).record.output
    #expect(try folders.publish(output, TreeOrder(rules: TreeRules(), edits: .keep), over: .missing) != nil)
    let outputs = TreeOutputs(bench.root, statePath: bench.state.path)
    let old = try #require(outputs.look(output, keepingEdits: true).1?.listing)
    // A run was killed just before a new folder took the place of this one.
    var next = TreeListing(old.entries, signature: old.signature, folder: old.folder.map { $0 + 1 })
    let other = CompactDigest(Digester.digest(Array("2".utf8), .sha256))
    next.entries.replace(0, .file(sha256: other, isExecutable: false), size: 1, next.entries.signature(at: 0))
    next.signature.inode ^= 1
    try TreeShelf(stateFolder: bench.state.path).write(
      next, as: TreeOutputs.key(of: output), isNext: true)
    let reading = try outputs.read(output, keepingEdits: true, mayWrite: true, isInVain: { false })
    #expect(reading.sha256 == old.digest)
    #expect(outputs.look(output, keepingEdits: true).1?.listing?.digest == old.digest)
  }

  @Test(arguments: [false, true])
  func `a warning says that a lock was changed since an update was killed, and stays`(
    isBegun: Bool
  ) throws {
    let output = try withhold("a", files: ["x"])
    do {
      let store = try StateStore.open(folder: bench.state.path, access: .readWrite)
      try store.apply([.withhold(output), .decide(Publication(lock: "new\n", replaced: .nothing))])
    }
    if isBegun {
      let order = TreeOrder(rules: TreeRules(), edits: .refuse)
      #expect(try folders.publish(output.record.output, order, over: .missing) != nil)
    }
    try bench.folder.write("theirs\n", to: "syncmake.lock")
    var state = try OpenState(bench.state.path, isWritable: true) { _ in }
    var warnings: [Diagnostic] = []
    try state.completePublication(bench.root, bench.state, Manifest(fileName: "m", targets: [])) { event in
      if case .warning(.lock(let diagnostic)) = event { warnings.append(diagnostic) }
    }
    #expect(bench.folder.text("syncmake.lock") == "theirs\n")
    #expect(warnings.map(\.file) == ["syncmake.lock"])
    #expect(warnings.first?.message.contains(isBegun ? "was completed" : "was taken back") == true)
  }
}
