import ContentPipeline
import Foundation
import LocalFiles
import Platform
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
    let bodies: FolderBodies
    let mailbox: Mailbox

    init() throws {
      folder = try TemporaryFolder()
      root = try RootFolder(path: folder.path)
      state = try StateFolder(path: folder.path + "/.syncmake")
      bodies = FolderBodies(state, for: root)
      mailbox = try Mailbox()
    }

    func committer(store: Bool = true, longestWait: Duration = .milliseconds(20)) throws -> Committer {
      self.committer(
        on: store ? try StateStore.open(folder: state.path, access: .readWrite) : nil,
        longestWait: longestWait)
    }

    func committer(
      on store: (any RecordStore)?, longestWait: Duration = .milliseconds(20)
    ) -> Committer {
      Committer(
        store: store, root: root, bodies: bodies, mailbox: mailbox, clock: MachineClock(),
        longestWait: longestWait)
    }

    /// Collects letters until there are `count`, or none has arrived for a minute.
    func await(letters count: Int) -> Int {
      var found = 0
      while found < count {
        mailbox.wait(milliseconds: 60_000)
        let more = letters().count
        guard more > 0 else { break }
        found += more
      }
      return found
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
        body: FinishedFile(staged: staged, partial: nil, in: bodies), record: record,
        over: over ?? root.observe(output), mode: nil,
        modified: nil)
    }

    func snapshot() throws -> StateSnapshot {
      try StateStore.open(folder: state.path, access: .readOnly).load()
    }

    func letters() -> [Result<FileSignature, FailureCause>] {
      mailbox.take().letters.compactMap { letter in
        guard case .published(let result) = letter.1 else { return nil }
        return result.mapError(\.cause)
      }
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

  @Test func `a file with changed times and unchanged bytes is not an edit`() throws {
    let bench = try Bench()
    let (same, edited) = ("same", "edited")
    for name in [same, edited] { try bench.folder.write("old", to: name) }
    let jobs = try [same, edited].map { name in
      var job = try bench.job(name, "new")
      job.overDigest = Digester.digest(Array("old".utf8), .sha256)
      return job
    }
    // A second hard link and its removal change only the change time.
    try FileManager.default.linkItem(atPath: bench.folder.path(same), toPath: bench.folder.path("other"))
    try bench.folder.write("odd", to: edited)
    let committer = try bench.committer()
    for (number, job) in jobs.enumerated() { committer.publish(job, Ticket(number: number)) }
    _ = committer.finish()
    let results = bench.letters()
    #expect(results.count == 2)
    #expect((try? results.first?.get()) != nil)
    #expect(
      results.last
        == .failure(.outputModified(expected: Digester.digest(Array("old".utf8), .sha256), actual: nil)))
    #expect(bench.folder.text(same) == "new")
    #expect(bench.folder.text(edited) == "odd")
    #expect(bench.folder.text("other") == "old")
  }

  @Test func `after a group, files wait while others may come, and are published together when none can`()
    throws
  {
    let bench = try Bench()
    let committer = try bench.committer(longestWait: .seconds(3600))
    #expect(committer.expectCompany(true) == nil)
    committer.publish(try bench.job("first", "1"), Ticket(number: 0))
    #expect(bench.await(letters: 1) == 1)
    for number in 1...3 { committer.publish(try bench.job("f\(number)", "x"), Ticket(number: number)) }
    let left = try #require(committer.expectCompany(true))
    #expect(left > .seconds(3000) && left <= .seconds(3600))
    #expect(bench.letters().isEmpty)
    #expect(bench.root.observe(try RelativePath("f1")) == .missing)
    _ = committer.expectCompany(false)
    #expect(bench.await(letters: 3) == 3)
    // Their records also wait for a group.
    #expect(committer.expectCompany(true) != nil)
    // The end of a run does not wait for a group.
    committer.publish(try bench.job("last", "1"), Ticket(number: 4))
    _ = committer.finish()
    #expect(bench.letters().count == 1)
    #expect(try bench.snapshot().records.count == 5)
  }

  @Test func `with enough files the next group begins, even if others may come`() throws {
    let bench = try Bench()
    let committer = try bench.committer(longestWait: .seconds(3600))
    _ = committer.expectCompany(true)
    committer.publish(try bench.job("first", "1"), Ticket(number: 0))
    #expect(bench.await(letters: 1) == 1)
    for number in 1...256 { committer.publish(try bench.job("f\(number)", "x"), Ticket(number: number)) }
    #expect(bench.await(letters: 256) == 256)
    _ = committer.finish()
  }

  /// With a name or without one.
  private func filesBeingMade(in staging: String) throws -> Int {
    #if os(Linux)
      let folder = URL(fileURLWithPath: staging).resolvingSymlinksInPath().path + "/"
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
          .hasPrefix(folder) == true
      }
    #else
      return try FileManager.default.contentsOfDirectory(atPath: staging).count
    #endif
  }

  @Test func `waiting files are created in the meantime; one that cannot be created fails at once`() throws {
    let bench = try Bench()
    let committer = try bench.committer(longestWait: .seconds(3600))
    _ = committer.expectCompany(true)
    committer.publish(try bench.job("first", "1"), Ticket(number: 0))
    #expect(bench.await(letters: 1) == 1)
    var bodiless = try bench.job("bodiless", "x")
    bodiless.body = FinishedFile(staged: nil, partial: nil, in: bench.bodies)
    committer.publish(bodiless, Ticket(number: 1))
    for number in 2...17 { committer.publish(try bench.job("f\(number)", "x"), Ticket(number: number)) }
    #expect(bench.await(letters: 1) == 1)
    let staging = bench.state.path + "/staging"
    var made = 0
    for _ in 0..<6000 where made < 15 {
      usleep(10_000)
      made = try filesBeingMade(in: staging)
    }
    // All sixteen, or fifteen if the last came after the first sixteen were taken.
    #expect(made >= 15)
    #expect(bench.letters().isEmpty)
    #expect(bench.root.observe(try RelativePath("f2")) == .missing)
    _ = committer.expectCompany(false)
    #expect(bench.await(letters: 16) == 16)
    #expect(committer.expectCompany(true) != nil)
    _ = committer.finish()
    #expect(try bench.snapshot().records.count == 17)
    #expect(try FileManager.default.contentsOfDirectory(atPath: staging).isEmpty)
  }

  @Test func `objects that the driver frees are freed when it looks, and do not wake it`() throws {
    final class Thing: Sendable {}
    let mailbox = try Mailbox()
    weak var seen: Thing?
    do {
      let thing = Thing()
      seen = thing
      mailbox.free([thing])
    }
    #expect(seen != nil)
    // Nothing rings: the wait ends by its time limit.
    mailbox.wait(milliseconds: 1)
    #expect(mailbox.take().letters.isEmpty)
    #expect(seen == nil)
  }

  @Test func `the mailbox rings once for all waiting messages, and again for later ones`() throws {
    let mailbox = try Mailbox()
    mailbox.post(Ticket(number: 1), .flushed)
    mailbox.post(Ticket(number: 2), .flushed)
    mailbox.wait(milliseconds: 60_000)
    #expect(mailbox.take().letters.count == 2)
    // Nothing rings now: the wait ends by its time limit, without a message.
    mailbox.wait(milliseconds: 1)
    #expect(mailbox.take().letters.isEmpty)
    mailbox.post(Ticket(number: 3), .flushed)
    mailbox.wait(milliseconds: 60_000)
    #expect(mailbox.take().letters.count == 1)
  }

  @Test func `records of checks are written a thousand at a time`() throws {
    let bench = try Bench()
    let committer = try bench.committer()
    let record = try bench.job("f", "x").record
    for number in 0..<2500 {
      var record = record
      record.output = try RelativePath("f\(number)")
      committer.remember(.commit(record))
    }
    #expect(!committer.finish().hasLostRecords)
    #expect(committer.transactions <= 3)
    #expect(try bench.snapshot().records.count == 2500)
  }

  @Test func `an output that was edited since its observation is kept, and the intention is withdrawn`()
    throws
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

  @Test(arguments: [false, true])
  func `the intention of a publication that failed stays only if it had begun`(isBegun: Bool) throws {
    let bench = try Bench()
    let records = MemoryRecords()
    let committer = bench.committer(on: records)
    var job = try bench.job("f", "new")
    job.body = FailingBody(isBegun: isBegun)
    committer.publish(job, Ticket(number: 0))
    _ = committer.finish()
    #expect(bench.letters() == [.failure(.offline)])
    #expect(try records.load(only: nil).pending.count == (isBegun ? 1 : 0))
  }

  /// Cannot be published.
  final class FailingBody: FinishedBody {
    let isBegun: Bool

    init(isBegun: Bool) { self.isBegun = isBegun }

    func prepare(
      for output: RelativePath, over expected: OutputObservation, mode: UInt16?, modified: Timestamp?
    ) throws(FailureCause) -> FileSignature {
      let now = SystemClock.now()
      return FileSignature(size: 3, modified: now, changed: now, inode: 1)
    }

    func sync() throws(FailureCause) {}

    func publish(
      over expected: OutputObservation, mode: UInt16?, modified: Timestamp?, expectedDigest: HexDigest?,
      in group: PublishedGroup
    ) throws(FailureCause) -> FileSignature { throw .offline }

    func withhold(as key: String) throws(FailureCause) -> FileSignature { throw .offline }
    func dropPartial() {}
    func giveUp(_ download: ContentIdentity?) -> Int64 { 0 }
  }

  @Test func `without a store a new file is published, but an old file is not replaced`() throws {
    let bench = try Bench()
    try bench.folder.write("old", to: "there")
    let committer = try bench.committer(store: false)
    committer.publish(try bench.job("fresh", "a"), Ticket(number: 0))
    committer.publish(try bench.job("there", "b"), Ticket(number: 1))
    // Nothing is there, and the state still says that it has other bytes: the next run would find an edit.
    var changed = try bench.job("changed", "c")
    changed.contradictsRecord = true
    committer.publish(changed, Ticket(number: 2))
    #expect(committer.finish().hasLostRecords)
    #expect(bench.folder.text("fresh") == "a")
    #expect(bench.folder.text("there") == "old")
    #expect(bench.folder.text("changed") == nil)
    #expect(bench.letters().count == 3)
  }

  @Test func `a state that refuses to write keeps old files, and the fault is reported`() throws {
    let bench = try Bench()
    try bench.folder.write("old", to: "there")
    let records = MemoryRecords()
    records.fault = StateFault(code: 10, path: "state.db", text: "disk I/O error")
    let committer = bench.committer(on: records)
    committer.publish(try bench.job("there", "b"), Ticket(number: 0))
    let account = committer.finish()
    #expect(account.hasLostRecords && account.fault == records.fault)
    #expect(bench.folder.text("there") == "old")
    guard case .failure(.outputUnwritable) = try #require(bench.letters().first) else {
      Issue.record("the target was not told")
      return
    }
  }
}
