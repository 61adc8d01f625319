import ContentPipeline
import LocalFiles
import StateStore
import SyncModel
import SyncTestSupport
import Testing

@testable import Execution

/// The order in which files and records reach the disk, on real files and a real store.
@Suite struct CommitterTests {
  struct Bench {
    let folder: TemporaryFolder
    let root: RootFolder
    let state: StateFolder
    let mailbox: Mailbox

    init() throws {
      folder = try TemporaryFolder()
      root = try RootFolder(path: folder.path)
      state = try StateFolder(path: folder.path + "/.syncmake")
      mailbox = try Mailbox()
    }

    func committer(store: Bool = true) throws -> Committer {
      Committer(
        store: store ? try StateStore.open(folder: state.path, access: .readWrite) : nil, root: root,
        folder: state, mailbox: mailbox)
    }

    func job(_ name: String, _ text: String, over: OutputObservation? = nil) throws -> PublishJob {
      let output = try RelativePath(name)
      let staged = try StagedFile.create(in: state, for: output, root: root)
      try Array(text.utf8).withUnsafeBytes { try staged.write($0) }
      let now = SystemClock.now()
      let record = TargetRecord(
        name: TargetName(name), output: output, definition: [],
        signature: FileSignature(size: Int64(text.utf8.count), modified: now, changed: now, inode: 0),
        content: ContentIdentity(
          size: Int64(text.utf8.count), digests: [.sha256: Digester.digest(Array(text.utf8), .sha256)]),
        download: nil, validators: nil, inputs: [], checkedAt: now, updatedAt: now)
      return PublishJob(
        body: FinishedBody(staged: staged), record: record, over: over ?? root.observe(output), mode: nil,
        modified: nil)
    }

    func snapshot() throws -> StateSnapshot {
      try StateStore.open(folder: state.path, access: .readOnly).load()
    }

    func letters() -> [Result<FileSignature, FailureCause>] {
      mailbox.take().letters.compactMap { if case .published(let result) = $0.1 { result } else { nil } }
    }
  }

  @Test func `a published file is in place, recorded with its signature, and no longer pending`() throws {
    let bench = try Bench()
    let committer = try bench.committer()
    for number in 0..<20 {
      committer.publish(try bench.job("f\(number)", "body \(number)"), Ticket(number: number))
    }
    let account = committer.finish()
    #expect(!account.hasLostRecords && account.fault == nil)
    #expect(bench.letters().count == 20)
    let snapshot = try bench.snapshot()
    #expect(snapshot.pending.isEmpty)
    #expect(snapshot.records.count == 20)
    for record in snapshot.records {
      #expect(bench.root.observe(record.output) == .file(record.signature))
    }
  }

  @Test func `an output that was edited since it was looked at is kept, and the intention withdrawn`() throws
  {
    let bench = try Bench()
    let first = try bench.committer()
    first.publish(try bench.job("f", "old"), Ticket(number: 0))
    _ = first.finish()
    _ = bench.letters()
    let job = try bench.job("f", "new")
    try bench.folder.write("edited", to: "f")
    let second = try bench.committer()
    second.publish(job, Ticket(number: 1))
    _ = second.finish()
    guard case .failure(.outputModified) = try #require(bench.letters().first) else {
      Issue.record("the edit was not noticed")
      return
    }
    #expect(bench.folder.text("f") == "edited")
    let snapshot = try bench.snapshot()
    #expect(snapshot.pending.isEmpty)
    #expect(snapshot.records.map(\.content.size) == [3])
  }

  @Test func `without a store a new file is placed, but an old one is not replaced`() throws {
    let bench = try Bench()
    try bench.folder.write("old", to: "there")
    let committer = try bench.committer(store: false)
    committer.publish(try bench.job("fresh", "a"), Ticket(number: 0))
    committer.publish(try bench.job("there", "b"), Ticket(number: 1))
    #expect(committer.finish().hasLostRecords)
    #expect(bench.folder.text("fresh") == "a")
    #expect(bench.folder.text("there") == "old")
    #expect(bench.letters().count == 2)
  }
}
