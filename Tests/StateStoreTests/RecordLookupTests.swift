import Foundation
import SyncModel
import Testing

@testable import StateStore

/// The records of a few outputs are found without reading the others.
@Suite struct RecordLookupTests {
  private func image(of folder: StateFolder) throws -> SnapshotImage {
    let state = try #require(StateIdentity(folder: folder.path))
    let bytes = SnapshotLayout.encode(try SnapshotSample.make(targets: 3), state, stateSum: nil)
    return try #require(SnapshotImage(bytes))
  }

  @Test func `a look-up gives the record, and leaves no trace`() throws {
    let folder = try StateFolder()
    let records = try (0..<300).map { try Sample.usual($0) } + [Sample.full()]
    try folder.fill(records.map { .commit($0) })
    let image = try image(of: folder)
    let before = try folder.fingerprint()
    let wanted = [records[300], records[7], records[299]]
    #expect(RecordLookup.records(of: wanted.map(\.output), in: folder.path, image) == wanted)
    #expect(RecordLookup.records(of: [], in: folder.path, image) == [])
    let unknown = [records[7].output, try RelativePath("data/nowhere")]
    #expect(RecordLookup.records(of: unknown, in: folder.path, image) == nil)
    #expect(try folder.fingerprint() == before)
  }

  @Test func `a look-up gives nothing if an intention is pending`() throws {
    let folder = try StateFolder()
    let records = try (0..<3).map { try Sample.usual($0) }
    try folder.fill(records.map { .commit($0) } + [.intend(records[1])])
    let image = try image(of: folder)
    #expect(RecordLookup.records(of: [records[0].output], in: folder.path, image) == [records[0]])
    #expect(RecordLookup.records(of: records.map(\.output), in: folder.path, image) == nil)
  }

  @Test func `a look-up gives nothing if the state has changed`() throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.commit(record)])
    let image = try image(of: folder)
    try folder.fill([.commit(try Sample.usual(2))])
    #expect(RecordLookup.records(of: [record.output], in: folder.path, image) == nil)
    try FileManager.default.removeItem(atPath: folder.database)
    #expect(RecordLookup.records(of: [record.output], in: folder.path, image) == nil)
    #expect(try folder.names() == [])
  }

  @Test func `a look-up gives nothing in a file of another version`() throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.commit(record)])
    try Connection.open(path: folder.database, creating: false).run(
      "PRAGMA user_version = \(Schema.version - 1)")
    #expect(RecordLookup.records(of: [record.output], in: folder.path, try image(of: folder)) == nil)
  }

  @Test func `a look-up gives nothing for a damaged row`() throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.commit(record)])
    let connection = try Connection.open(path: folder.database, creating: false)
    try connection.run("UPDATE records SET inode = inode + 1")
    #expect(RecordLookup.records(of: [record.output], in: folder.path, try image(of: folder)) == nil)
  }

  @Test(arguments: ["a?b", "100%", "a#b", "%41", "ä b"]) func `a record is found in a folder of any name`(
    name: String
  ) throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    let inner = folder.path + "/" + name
    try StateStore.open(folder: inner, access: .readWrite).apply([.commit(record)])
    let state = try #require(StateIdentity(folder: inner))
    let bytes = SnapshotLayout.encode(try SnapshotSample.make(targets: 3), state, stateSum: nil)
    let image = try #require(SnapshotImage(bytes))
    #expect(RecordLookup.records(of: [record.output], in: inner, image) == [record])
  }
}
