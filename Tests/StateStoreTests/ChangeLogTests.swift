import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

/// Changes that wait in a log for the next transaction (docs/decisions/0028).
@Suite struct ChangeLogTests {
  private static let accesses = [StateStore.Access.readOnly, .readWrite]

  private func log(_ folder: StateFolder) -> URL { URL(fileURLWithPath: folder.path + "/changes") }

  private func logBytes(_ folder: StateFolder) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: log(folder)))
  }

  /// What a state has of records and intentions.
  private struct Remembered: Equatable {
    var records: [TargetRecord] = []
    var pending: [TargetRecord] = []

    init(records: [TargetRecord] = [], pending: [TargetRecord] = []) {
      (self.records, self.pending) = (records, pending)
    }

    init(_ snapshot: StateSnapshot) { self.init(records: snapshot.records, pending: snapshot.pending) }
  }

  private func remembered(
    _ folder: StateFolder, _ access: StateStore.Access = .readOnly
  ) throws -> Remembered {
    Remembered(try folder.snapshot(access))
  }

  private func counter(_ folder: StateFolder) throws -> Int64 {
    try #require(StateFile(folder: folder.path).counter)
  }

  /// A state with record 1 to whose log three lists were written before the process ended.
  private func interrupted() throws -> StateFolder {
    let folder = try StateFolder()
    let store = try folder.open()
    try store.apply([.commit(Sample.usual(1))])
    try store.apply([.intend(Sample.usual(2))])
    try store.apply([.commit(Sample.usual(2)), .intend(Sample.usual(3))])
    try store.apply([
      .commit(Sample.usual(3)), .forget(output: Sample.usual(1).output), .intend(Sample.full()),
    ])
    return folder
  }

  /// The states of that folder after none, one, two and all of the lists.
  private func states() throws -> [Remembered] {
    let (one, two, three) = (try Sample.usual(1), try Sample.usual(2), try Sample.usual(3))
    return [
      Remembered(records: [one]), Remembered(records: [one], pending: [two]),
      Remembered(records: [one, two], pending: [three]),
      Remembered(records: [two, three], pending: [try Sample.full()]),
    ]
  }

  @Test func `the intention of a small group leaves the state file as it is`() throws {
    let folder = try StateFolder()
    let store = try folder.open()
    try store.apply([.commit(Sample.usual(1))])
    let before = try folder.bytes()
    try store.apply([.intend(Sample.usual(2))])
    #expect(try folder.bytes() == before)
    #expect(try folder.names() == ["changes", "state.db"])
  }

  @Test(arguments: accesses) func `what a killed process logged is part of the state`(
    access: StateStore.Access
  ) throws {
    let folder = try interrupted()
    #expect(try remembered(folder, access) == states()[3])
  }

  @Test func `a reader changes nothing, a writer stores the log and removes it`() throws {
    let folder = try interrupted()
    let before = try folder.fingerprint()
    _ = try folder.snapshot(.readOnly)
    #expect(try folder.fingerprint() == before)
    _ = try folder.open()
    #expect(try folder.names() == ["state.db"])
    #expect(try remembered(folder) == states()[3])
  }

  @Test func `the next transaction stores what waits, and the log goes with the store`() throws {
    let folder = try StateFolder()
    try {
      let store = try folder.open()
      try store.apply([.intend(Sample.usual(1))])
      let waiting = try counter(folder)
      try store.apply([.commit(Sample.usual(1))])
      #expect(try counter(folder) == waiting + 1)
      #expect(try Remembered(store.load()) == Remembered(records: [Sample.usual(1)]))
    }()
    #expect(try folder.names() == ["state.db"])
  }

  @Test func `an intention that came to nothing does not return with the log`() throws {
    let folder = try StateFolder()
    let store = try folder.open()
    try store.apply([.commit(Sample.usual(1))])
    try store.apply([.intend(Sample.usual(2))])
    try store.apply([.withdraw(output: Sample.usual(2).output)])
    #expect(try remembered(folder) == Remembered(records: [Sample.usual(1)]))
  }

  @Test func `a store that ends leaves the log of another one`() throws {
    let folder = try StateFolder()
    var first: StateStore? = try folder.open()
    try first?.apply([.intend(Sample.usual(1))])
    try first?.apply([.commit(Sample.usual(1))])
    let second = try folder.open()
    try second.apply([.intend(Sample.usual(2))])
    first = nil
    #expect(try remembered(folder).pending == [Sample.usual(2)])
  }

  @Test func `the store itself sees what waits`() throws {
    let folder = try StateFolder()
    let store = try folder.open()
    try store.apply([.intend(Sample.usual(1))])
    #expect(try store.load().pending == [Sample.usual(1)])
  }

  @Test func `a log that was cut off counts up to the last whole list`() throws {
    let folder = try interrupted()
    let (whole, states) = (try logBytes(folder), try states())
    var last = 0
    for length in stride(from: 0, to: whole.count, by: Torture.isFull ? 1 : 7) {
      try Data(whole[..<length]).write(to: log(folder))
      let found = try #require(states.firstIndex(of: try remembered(folder)), "\(length)")
      #expect(found >= last && found < 3, "\(length)")
      last = found
    }
    #expect(last == 2)
  }

  @Test func `no flipped bit gives anything but a beginning of the log`() throws {
    let folder = try interrupted()
    let (whole, states) = (try logBytes(folder), try states())
    for place in stride(from: 0, to: whole.count, by: Torture.isFull ? 1 : 7) {
      var bytes = whole
      bytes[place] ^= 1 << UInt8(place % 8)
      try Data(bytes).write(to: log(folder))
      let found = try #require(states.firstIndex(of: try remembered(folder)), "\(place)")
      #expect(found < 3, "\(place)")
    }
  }

  @Test func `lists of an earlier log in the same file do not count`() throws {
    let folder = try StateFolder()
    let store = try folder.open()
    for number in 1...5 { try store.apply([.intend(Sample.usual(number))]) }
    let long = try logBytes(folder).count
    try store.apply((1...5).map { .withdraw(output: try Sample.usual($0).output) })
    try store.apply([.intend(Sample.usual(6))])
    #expect(try logBytes(folder).count == long)
    #expect(try folder.snapshot(.readOnly).pending == [Sample.usual(6)])
  }

  @Test(arguments: accesses) func `a log is ignored beside a state file that it does not belong to`(
    access: StateStore.Access
  ) throws {
    let folder = try StateFolder()
    try folder.fill([.commit(Sample.usual(9))])
    let older = try folder.bytes()
    let store = try folder.open()
    try store.apply([.commit(Sample.usual(8))])
    try store.apply([.intend(Sample.usual(7))])
    try folder.replaceDatabase(with: older)
    #expect(try folder.snapshot(access).pending.isEmpty)
  }

  @Test func `a log without a state file is removed`() throws {
    let folder = try interrupted()
    try FileManager.default.removeItem(atPath: folder.database)
    #expect(try remembered(folder, .readWrite) == Remembered())
    #expect(try folder.names() == ["state.db"])
  }

  @Test func `a log goes with a damaged state file`() throws {
    let folder = try interrupted()
    try folder.replaceDatabase(with: Array("no database".utf8))
    #expect(try remembered(folder, .readWrite) == Remembered())
    #expect(try folder.names() == ["state.db", "state.db.damaged-1"])
  }

  @Test func `if the log cannot be written a transaction stores the changes`() throws {
    let folder = try StateFolder()
    try FileManager.default.createDirectory(
      atPath: log(folder).appendingPathComponent("full").path, withIntermediateDirectories: true)
    let store = try folder.open()
    let before = try counter(folder)
    try store.apply([.intend(Sample.usual(1))])
    #expect(try counter(folder) == before + 1)
    #expect(try folder.snapshot(.readOnly).pending == [Sample.usual(1)])
  }

  @Test func `a large group, a sidecar and a full log take a transaction`() throws {
    let folder = try StateFolder()
    let store = try folder.open()
    var before = try counter(folder)
    func expectTransaction(_ changes: [StateChange]) throws {
      try store.apply(changes)
      #expect(try counter(folder) == before + 1)
      before += 1
    }
    try expectTransaction((0...ChangeLog.mostChanges).map { .intend(try Sample.usual($0)) })
    try expectTransaction([.sidecar(Sample.sidecar(1)), .intend(Sample.usual(1))])
    for start in stride(from: 0, to: ChangeLog.mostWaiting, by: ChangeLog.mostChanges) {
      try store.apply((start..<start + ChangeLog.mostChanges).map { .intend(try Sample.usual($0)) })
    }
    #expect(try counter(folder) == before)
    try expectTransaction([.intend(Sample.usual(1))])
    #expect(try store.load().pending.count == 1024)
  }
}
