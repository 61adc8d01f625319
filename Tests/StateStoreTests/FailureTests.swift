import Foundation
import SyncModel
import Testing

@testable import StateStore

@Suite struct `When the system refuses` {
  @Test func `a failure in the middle changes nothing and leaves the store usable`() throws {
    let folder = try StateFolder()
    let old = try Sample.usual(1)
    let store = try folder.open()
    try store.apply([.commit(old)])
    // A value beyond SQLite's limit for a row simulates any failure after the first change.
    var huge = Sample.sidecar(1)
    huge.body = [UInt8](repeating: 7, count: 20 << 20)
    let limited = try Connection.open(path: folder.database, creating: false)
    #expect(throws: StateFault.self) {
      try limited.transaction { () throws(StateFault) in
        try limited.run("DELETE FROM records")
        try limited.prepare(SidecarRow.replacement).perform { SidecarRow.write(huge, to: &$0) }
      }
    }
    #expect(try store.load().records == [old])
    let new = try Sample.usual(2)
    try store.apply([.commit(new)])
    #expect(try store.load().records == [old, new])
  }

  @Test func `a missing value is not taken from the previous row`() throws {
    let folder = try StateFolder()
    try folder.open().apply([.commit(try Sample.usual(1))])
    let connection = try Connection.open(path: folder.database, creating: false)
    let removal = try connection.prepare(RecordRow.removal)
    try removal.perform { $0.text("another") }
    #expect(throws: StateFault.self) { try removal.perform { _ in } }
    #expect(throws: StateFault.self) {
      try removal.perform { row in
        row.text("one")
        row.text("too many")
      }
    }
    try removal.perform { $0.text("still usable") }
    #expect(try folder.open().load().records.count == 1)
  }

  @Test func `a full device is reported as such, and the stored data stay`() throws {
    let folder = try StateFolder()
    let old = try Sample.usual(1)
    try folder.fill([.commit(old)])
    let connection = try Connection.open(path: folder.database, creating: false)
    // SQLite gives the same error when a database may not grow as when the device is full.
    try connection.run("PRAGMA max_page_count = 1")
    let fault = #expect(throws: StateFault.self) {
      try connection.transaction { () throws(StateFault) in
        try connection.prepare(SidecarRow.replacement).perform {
          SidecarRow.write(Sample.sidecar(1, size: 1 << 20), to: &$0)
        }
      }
    }
    #expect(fault?.isDiskFull == true)
    #expect(fault?.isDamage == false)
    #expect(try folder.snapshot().records == [old])
    #expect(try folder.snapshot().sidecars.isEmpty)
  }

  @Test func `a read-only store refuses changes`() throws {
    let folder = try StateFolder()
    #expect(throws: StateFault.self) {
      try folder.open(.readOnly).apply([.commit(try Sample.usual(1))])
    }
    #expect(try folder.names() == [])
  }

  @Test func `a folder that cannot be made is a fault with its path`() throws {
    let folder = try StateFolder()
    try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
    let fault = #expect(throws: StateFault.self) {
      try StateStore.open(folder: folder.path + "/file/state", access: .readWrite)
    }
    #expect(fault?.path == folder.path + "/file/state")
    #expect(fault?.systemError == ENOTDIR)
    #expect(
      try StateStore.open(folder: folder.path + "/file/state", access: .readOnly).load().records.isEmpty)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `a folder without write permission is a fault with its path, not damage`() throws {
    let folder = try StateFolder()
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let fault = #expect(throws: StateFault.self) { try folder.open() }
    #expect(fault?.path == folder.database)
    // SQLITE_CANTOPEN; the system's number is that of SQLite's second try, which is to read only.
    #expect(fault.map { $0.code & 0xff } == 14)
    #expect(fault?.isDamage == false)
    chmod(folder.path, 0o755)
    #expect(try folder.names() == [])
  }

  @Test func `a lock that is never released is reported as busy, not as damage`() throws {
    let folder = try StateFolder()
    try folder.fill([])
    let holder = try Connection.open(path: folder.database, creating: false)
    let other = try Connection.open(path: folder.database, creating: false)
    try other.run("PRAGMA busy_timeout = 1")
    try holder.run("BEGIN EXCLUSIVE")
    let fault = #expect(throws: StateFault.self) { try other.run("BEGIN IMMEDIATE") }
    #expect(fault?.isBusy == true)
    #expect(fault?.isDamage == false)
  }
}

@Suite struct `Two stores at once` {
  @Test func `each sees the other's changes`() throws {
    let folder = try StateFolder()
    let a = try folder.open()
    let b = try folder.open()
    let first = try Sample.usual(1)
    let second = try Sample.usual(2)
    try a.apply([.commit(first)])
    try b.apply([.commit(second)])
    #expect(try a.load().records == [first, second])
    #expect(try b.load().records == [first, second])
    #expect(try folder.snapshot(.readOnly).records == [first, second])
  }

  @Test func `a reader beside a busy writer sees whole transactions only`() throws {
    let folder = try StateFolder()
    try folder.fill(try versions(0))
    let path = folder.path
    let written = DispatchSemaphore(value: 0)
    // Not a task: it might get its turn after all other tests, and the reader would look for so long.
    let writer = Thread {
      defer { written.signal() }
      guard let store = try? StateStore.open(folder: path, access: .readWrite) else { return }
      for version in 1...60 { try? store.apply(versions(version)) }
    }
    writer.start()
    var seen: Set<Int64> = []
    while seen.count < 3, !writer.isFinished {
      let records = try folder.snapshot(.readOnly).records
      #expect(records.count == 40)
      #expect(Set(records.map(\.content.size)).count == 1)
      seen.insert(records.first?.content.size ?? -1)
    }
    written.wait()
    #expect(try folder.snapshot(.readOnly).records.map(\.content.size) == Array(repeating: 60, count: 40))
  }
}

/// Forty records that all have `version` as their size.
private func versions(_ version: Int) throws -> [StateChange] {
  try (0..<40).map { number in
    var record = try Sample.usual(number)
    record.content.size = Int64(version)
    return .commit(record)
  }
}
