import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

/// Intentions are removed one by one, or all at once if none remains: others must stay.
@Suite struct `Intentions are settled` {
  @Test func `one by one`() throws {
    let folder = try StateFolder()
    let (first, second) = (try Sample.usual(1), try Sample.usual(2))
    let store = try folder.open()
    try store.apply([.intend(first), .intend(second)])
    try store.apply([.commit(first)])
    #expect(try store.load().pending == [second])
    try store.apply([.withdraw(output: second.output)])
    #expect(try store.load().pending.isEmpty)
    #expect(try store.load().records == [first])
  }

  @Test func `and those of an earlier process stay until then`() throws {
    let folder = try StateFolder()
    let (left, new) = (try Sample.usual(1), try Sample.usual(2))
    try folder.fill([.intend(left)])
    let store = try folder.open()
    try store.apply([.intend(new)])
    try store.apply([.commit(new)])
    #expect(try store.load().pending == [left])
  }

  @Test func `but a new intention in the same transaction is not settled by an earlier change`()
    throws
  {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    try folder.fill([.intend(record), .commit(record), .intend(record)])
    #expect(try folder.snapshot().pending == [record])
  }

  @Test(arguments: [
    "UPDATE intentions SET sum = sum + 1", "UPDATE intentions SET records = X''",
    "UPDATE intentions SET records = substr(records, 1, length(records) - 1)",
    "UPDATE intentions SET records = records || X'00'", "UPDATE intentions SET records = 'text'",
    "UPDATE intentions SET id = 9223372036854775807", "UPDATE intentions SET id = -5",
    "UPDATE intentions SET id = 0", "UPDATE intentions SET id = id + 1",
  ])
  func `a damaged list is ignored and replaced by the next one`(change: String) throws {
    let folder = try StateFolder()
    let (lost, recorded, new) = (try Sample.usual(1), try Sample.usual(2), try Sample.usual(3))
    try folder.fill([.commit(recorded), .intend(lost)])
    try Connection.open(path: folder.database, creating: false).run(change)
    for access in [StateStore.Access.readOnly, .readWrite] {
      #expect(try folder.snapshot(access).pending.isEmpty)
      #expect(try folder.snapshot(access).records == [recorded])
    }
    let store = try folder.open()
    try store.apply([.intend(new)])
    #expect(try store.load().pending == [new])
    #expect(store.setAside == nil)
    let numbers = try Connection.open(path: folder.database, creating: false).number(
      "SELECT count(*) FROM intentions")
    #expect(numbers == 1)
  }

  @Test func `old and new intentions stay separate until the end`() throws {
    let folder = try StateFolder()
    let records = try (0..<6).map { try Sample.usual($0) }
    try folder.fill(records[0..<4].map { .intend($0) })
    let store = try folder.open()
    try store.apply([.intend(records[1]), .intend(records[4]), .intend(records[5])])
    try store.apply([.commit(records[1]), .withdraw(output: records[5].output)])
    #expect(try store.load().pending == [records[0], records[2], records[3], records[4]])
    try store.apply([.commit(records[0]), .commit(records[4])])
    #expect(try store.load().pending == [records[2], records[3]])
    try store.apply([.forget(output: records[2].output), .commit(records[3])])
    #expect(try store.load().pending.isEmpty)
  }

  @Test func `intentions that exceed one list are written to several`() throws {
    let folder = try StateFolder()
    let records = try (0..<12).map { number in
      var record = try Sample.usual(number)
      let text = String(repeating: "x", count: number == 7 ? IntentionList.enough + 1 : 900_000)
      record.definition = [DefinitionField(name: "url", value: text)]
      return record
    }
    let store = try folder.open()
    try store.apply(records.map { .intend($0) })
    #expect(try Set(store.load().pending.map(\.output)) == Set(records.map(\.output)))
    #expect(store.setAside == nil)
    let lists = try Connection.open(path: folder.database, creating: false).number(
      "SELECT count(*) FROM intentions")
    #expect(lists > 2)
    try store.apply([.commit(records[0]), .commit(records[7]), .withdraw(output: records[11].output)])
    #expect(try store.load().pending.count == 9)
    try store.apply(records.map { .commit($0) })
    #expect(try store.load().pending.isEmpty)
  }

  @Test(arguments: 0..<20)
  func `any sequence of changes, complete or cut off, leaves the expected intentions`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let folder = try StateFolder()
    var writer = try Writer(path: folder.database)
    var (records, pending): ([RelativePath: TargetRecord], [RelativePath: TargetRecord]) = ([:], [:])
    for round in 0..<40 {
      if Int.random(in: 0..<8, using: &random) == 0 { writer = try Writer(path: folder.database) }
      let before = (records, pending)
      var changes: [StateChange] = []
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        var record = try Sample.usual(Int.random(in: 0..<5, using: &random))
        record.checkedAt = Timestamp(seconds: Int64(round + 1))
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3:
          changes.append(.intend(record))
          pending[record.output] = record
        case 3..<6:
          changes.append(.commit(record))
          (records[record.output], pending[record.output]) = (record, nil)
        case 6:
          changes.append(.withdraw(output: record.output))
          pending[record.output] = nil
        default:
          changes.append(.forget(output: record.output))
          (records[record.output], pending[record.output]) = (nil, nil)
        }
      }
      if round % 13 == 12 {
        // The device is full: the whole transaction fails and is undone.
        changes.append(.sidecar(Sample.sidecar(1, size: 1 << 20)))
        try writer.connection.run("PRAGMA max_page_count = 1")
        #expect(throws: StateFault.self) { try writer.apply(changes) }
        try writer.connection.run("PRAGMA max_page_count = 1000000")
        (records, pending) = before
      } else {
        try writer.apply(changes)
      }
      let found = try folder.snapshot(.readOnly)
      #expect(found.pending == pending.values.sorted { $0.output < $1.output })
      #expect(found.records == records.values.sorted { $0.output < $1.output })
    }
  }
}

@Suite struct `Texts of any length` {
  @Test(arguments: [0, 1, RowWriter.usualRow - 200, RowWriter.usualRow, RowWriter.usualRow + 1, 1 << 20])
  func `are read back unchanged, whatever room they were given`(length: Int) throws {
    let folder = try StateFolder()
    var record = try Sample.full()
    record.definition.append(DefinitionField(name: "steps", value: String(repeating: "ä", count: length / 2)))
    record.validators?.lastModified = String(repeating: "x", count: length)
    let other = try Sample.usual(1)
    // One statement writes them all, and the texts of another row used the same memory.
    try folder.fill([.commit(other), .commit(record), .intend(record), .intend(other)])
    let found = try folder.snapshot()
    #expect(found.records == [record, other])
    #expect(found.pending == [record, other])
  }
}
