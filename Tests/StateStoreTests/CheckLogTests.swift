import Foundation
import SyncModel
import Testing

@testable import StateStore

/// The time of the last check of many sources, stored apart from the records (docs/decisions/0010).
@Suite struct CheckLogTests {
  private func outputs(_ records: [TargetRecord]) -> [UInt8] {
    records.flatMap { Array($0.output.text.utf8) + [0] }
  }

  private func checked(_ folder: StateFolder) throws -> [Timestamp?] {
    try StateStore.open(folder: folder.path, access: .readOnly).load().records.map(\.checkedAt)
  }

  private func samples() throws -> [TargetRecord] {
    try (1...3).map { try Sample.usual($0) }.sorted { $0.output.text < $1.output.text }
  }

  @Test func `gives the time of the check to the records that it names, and to no others`() throws {
    let folder = try StateFolder()
    let records = try samples()
    try folder.fill(records.map { .commit($0) })
    let later = Timestamp(seconds: try #require(records[0].checkedAt).seconds + 100_000)
    #expect(CheckLog.write(outputs(Array(records.dropLast())), checkedAt: later, in: folder.path))
    #expect(try checked(folder) == [later, later, records[2].checkedAt])
    let all = try StateStore.open(folder: folder.path, access: .readWrite).load().records
    #expect(all.map(\.checkedAt) == [later, later, records[2].checkedAt])
    // Only the time is different.
    #expect(all.map(\.updatedAt) == records.map(\.updatedAt))
  }

  @Test func `never replaces a later time`() throws {
    let folder = try StateFolder()
    let records = try samples()
    try folder.fill(records.map { .commit($0) })
    let before = Timestamp(seconds: try #require(records[0].checkedAt).seconds - 1)
    #expect(CheckLog.write(outputs(records), checkedAt: before, in: folder.path))
    #expect(try checked(folder) == records.map(\.checkedAt))
  }

  @Test func `does not apply to bytes that were recorded later`() throws {
    let folder = try StateFolder()
    var record = try samples()[0]
    let noted = Timestamp(seconds: record.updatedAt.seconds + 50)
    try folder.fill([.commit(record)])
    #expect(CheckLog.write(outputs([record]), checkedAt: noted, in: folder.path))
    record.updatedAt = Timestamp(seconds: noted.seconds + 1)
    record.checkedAt = Timestamp(seconds: noted.seconds - 1)
    try folder.fill([.commit(record)])
    #expect(try checked(folder) == [record.checkedAt])
  }

  @Test func `does not apply to a record that replaced another`() throws {
    let folder = try StateFolder()
    var record = try samples()[0]
    try folder.fill([.commit(record)])
    let noted = Timestamp(seconds: try #require(record.checkedAt).seconds + 50)
    #expect(CheckLog.write(outputs([record]), checkedAt: noted, in: folder.path))
    try folder.fill([.forget(output: record.output)])
    (record.checkedAt, record.updatedAt) = (nil, Timestamp(seconds: 1))
    try folder.fill([.commit(record)])
    #expect(try checked(folder) == [nil])
  }

  @Test func `is ignored with a restored older state`() throws {
    let folder = try StateFolder()
    let record = try samples()[0]
    try folder.fill([.commit(record)])
    let old = try folder.bytes()
    try folder.fill([.commit(record)])
    let later = Timestamp(seconds: try #require(record.checkedAt).seconds + 5)
    #expect(CheckLog.write(outputs([record]), checkedAt: later, in: folder.path))
    #expect(try checked(folder) == [later])
    try Data(old).write(to: URL(fileURLWithPath: folder.database))
    #expect(try checked(folder) == [record.checkedAt])
  }

  @Test func `is ignored if any bit is flipped`() throws {
    let folder = try StateFolder()
    let record = try samples()[0]
    try folder.fill([.commit(record)])
    #expect(CheckLog.write(outputs([record]), checkedAt: Timestamp(seconds: 1 << 33), in: folder.path))
    let path = folder.path + "/checked"
    let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for index in good.indices {
      var bytes = good
      bytes[index] ^= 1 << UInt8(index % 8)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(try checked(folder) == [record.checkedAt], "byte \(index)")
    }
    for count in [0, 7, 8, 55, good.count - 1] {
      try Data(good.prefix(count)).write(to: URL(fileURLWithPath: path))
      #expect(try checked(folder) == [record.checkedAt], "\(count) bytes")
    }
  }

  @Test(arguments: ["link", "folder", "fifo"])
  func `is neither written to nor read from anything but a regular file`(kind: String) throws {
    let folder = try StateFolder()
    let record = try samples()[0]
    try folder.fill([.commit(record)])
    let path = folder.path + "/checked"
    switch kind {
    case "link": symlink("state.db", path)
    case "folder":
      try FileManager.default.createDirectory(atPath: path + "/x", withIntermediateDirectories: true)
    default: mkfifo(path, 0o600)
    }
    let bytes = try folder.bytes()
    #expect(try checked(folder) == [record.checkedAt])
    let wrote = CheckLog.write(outputs([record]), checkedAt: Timestamp(seconds: 1 << 33), in: folder.path)
    #expect(wrote == (kind != "folder"))
    #expect(try folder.bytes() == bytes)
  }

  @Test func `is removed if its time is in the future, and only then`() throws {
    let folder = try StateFolder()
    let record = try samples()[0]
    try folder.fill([.commit(record)])
    let later = Timestamp(seconds: try #require(record.checkedAt).seconds + 5)
    #expect(CheckLog.write(outputs([record]), checkedAt: later, in: folder.path))
    CheckLog.forget(after: later, in: folder.path)
    #expect(try checked(folder) == [later])
    CheckLog.forget(after: Timestamp(nanoseconds: later.nanoseconds - 1), in: folder.path)
    #expect(try checked(folder) == [record.checkedAt])
    #expect(try folder.names() == ["state.db"])
  }

  @Test func `is not read if it is longer than its records allow`() throws {
    let folder = try StateFolder()
    let record = try samples()[0]
    try folder.fill([.commit(record)])
    let later = Timestamp(seconds: try #require(record.checkedAt).seconds + 5)
    let many = [UInt8](repeating: 0, count: 5000) + outputs([record])
    #expect(CheckLog.write(many, checkedAt: later, in: folder.path))
    #expect(try checked(folder) == [record.checkedAt])
  }

  @Test func `is not written without a state`() throws {
    let folder = try StateFolder()
    #expect(!CheckLog.write([], checkedAt: Timestamp(seconds: 1), in: folder.path))
    #expect(try folder.names().isEmpty)
  }
}
