import Foundation
import SyncModel
import Testing

@testable import StateStore

@Suite struct `Reading leaves no trace` {
  @Test func `without a state nothing is created`() throws {
    let folder = try StateFolder()
    let missing = folder.path + "/missing"
    #expect(try StateStore.open(folder: missing, access: .readOnly).load().records.isEmpty)
    #expect(try folder.names() == [])
  }

  @Test func `the folder of an existing state is unchanged`() throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.commit(record), .sidecar(Sample.sidecar(1))])
    let before = try folder.fingerprint()
    let store = try folder.open(.readOnly)
    #expect(try store.load().records == [record])
    #expect(try store.load().sidecars == [Sample.sidecar(1)])
    #expect(try folder.fingerprint() == before)
  }

  @Test func `a lock that a writer holds does not stop a reader`() throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.commit(record)])
    let writer = try Connection.open(path: folder.database, creating: false)
    try writer.run("BEGIN EXCLUSIVE")
    #expect(try folder.snapshot(.readOnly).records == [record])
    try writer.run("COMMIT")
  }

  @Test(arguments: [
    ("junk", [UInt8](repeating: 0x5a, count: 5000)), ("nothing", []), ("a line", Array("hello\n".utf8)),
  ])
  func `a file that is not a state is an empty store, and the file stays`(_: String, bytes: [UInt8]) throws {
    let folder = try StateFolder()
    try folder.replaceDatabase(with: bytes)
    let before = try folder.fingerprint()
    let store = try folder.open(.readOnly)
    #expect(try store.load().records.isEmpty)
    #expect(store.setAside == nil)
    #expect(try folder.fingerprint() == before)
  }
}

/// The files of a run that was killed in the middle of a transaction.
@Suite struct `A journal that was left behind` {
  /// Puts a half-changed file and the journal that undoes the change into `folder`; returns the earlier content.
  private func leaveJournal(in folder: StateFolder) throws -> [TargetRecord] {
    let origin = try StateFolder()
    let records = try (0..<200).map { try Sample.usual($0) }
    try origin.fill(records.map { .commit($0) })
    let connection = try Connection.open(path: origin.database, creating: false)
    // With so small a cache the changed pages are written to the file long before the commit.
    try connection.run("PRAGMA cache_size = 2")
    try connection.run("BEGIN IMMEDIATE")
    let statement = try connection.prepare(RecordRow.replacement)
    for record in records {
      var changed = record
      changed.content.size = 999_999
      try statement.perform { RecordRow.writeRow(changed, to: &$0) }
    }
    for name in ["state.db", "state.db-journal"] {
      try FileManager.default.copyItem(atPath: origin.path + "/" + name, toPath: folder.path + "/" + name)
    }
    try connection.run("ROLLBACK")
    return records
  }

  @Test func `is rolled back by a store that may write`() throws {
    let folder = try StateFolder()
    let records = try leaveJournal(in: folder)
    #expect(try folder.snapshot(.readWrite).records == records)
    #expect(try folder.names() == ["state.db"])
  }

  @Test func `is rolled back in a temporary copy for a read-only store`() throws {
    let folder = try StateFolder()
    let scratch = try StateFolder()
    let records = try leaveJournal(in: folder)
    let before = try folder.fingerprint()
    #expect(try folder.open(.readOnly, temporaryFolder: scratch.path).load().records == records)
    #expect(try folder.fingerprint() == before)
    #expect(try scratch.names() == [])
  }

  @Test func `is needed: without it the file is half-changed`() throws {
    let folder = try StateFolder()
    let records = try leaveJournal(in: folder)
    try FileManager.default.removeItem(atPath: folder.journal)
    #expect(try folder.snapshot(.readOnly).records != records)
  }

  @Test func `of the very first transaction leaves an empty store`() throws {
    let folder = try StateFolder()
    let connection = try Connection.open(path: folder.database, creating: true)
    try connection.run("PRAGMA cache_size = 1")
    try connection.run("BEGIN IMMEDIATE")
    try connection.run("CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x); CREATE TABLE d (x)")
    let copy = try StateFolder()
    for name in try folder.names() {
      try FileManager.default.copyItem(atPath: folder.path + "/" + name, toPath: copy.path + "/" + name)
    }
    #expect(try copy.names().contains("state.db-journal"))
    #expect(try copy.snapshot(.readOnly).records.isEmpty)
    let store = try copy.open()
    #expect(store.setAside == nil)
    try store.apply([.commit(try Sample.usual(1))])
    #expect(try copy.snapshot().records.count == 1)
    try connection.run("ROLLBACK")
  }

  @Test func `with random bytes does no harm`() throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.commit(record)])
    try Data(repeating: 0x41, count: 3000).write(to: URL(fileURLWithPath: folder.journal))
    #expect(try folder.snapshot(.readOnly).records == [record])
    #expect(try folder.snapshot(.readWrite).records == [record])
  }
}
