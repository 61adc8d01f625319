import Foundation
import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

@Suite struct `A file that is not a state` {
  @Test(arguments: [
    ("junk", [UInt8](repeating: 0x5a, count: 5000)),
    ("text", Array("this is no database\n".utf8)),
    ("one byte", [0]),
    ("a header and no more", Array("SQLite format 3\0".utf8)),
  ])
  func `is set aside as a whole, once, and a new one is created`(_: String, bytes: [UInt8]) throws {
    let folder = try StateFolder()
    try folder.replaceDatabase(with: bytes)
    let store = try folder.open()
    #expect(store.setAside?.path == folder.database + ".damaged-1")
    #expect(store.setAside?.why.isEmpty == false)
    try expectUsable(store)
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.database + ".damaged-1"))) == bytes)
    #expect(try folder.open().setAside == nil)
  }

  @Test func `at most two are kept, and the last has the second name`() throws {
    let folder = try StateFolder()
    for number in 1...4 {
      try folder.replaceDatabase(with: [UInt8(number)])
      #expect(try folder.open().setAside?.path == folder.database + ".damaged-\(min(number, 2))")
    }
    #expect(try folder.names() == ["state.db", "state.db.damaged-1", "state.db.damaged-2"])
    #expect(try folder.bytes(of: ".damaged-1") == [3])
    #expect(try folder.bytes(of: ".damaged-2") == [4])
  }

  @Test func `those of earlier versions are removed, except the last`() throws {
    let folder = try StateFolder()
    for number in 1...20 {
      try Data([UInt8(number)]).write(to: URL(fileURLWithPath: folder.database + ".damaged-\(number)"))
    }
    try Data([1]).write(to: URL(fileURLWithPath: folder.database + ".damaged-20-journal"))
    try folder.replaceDatabase(with: [21])
    #expect(try folder.open().setAside?.path == folder.database + ".damaged-2")
    #expect(
      try folder.names() == [
        "state.db", "state.db.damaged-1", "state.db.damaged-1-journal", "state.db.damaged-2",
      ])
    #expect(try folder.bytes(of: ".damaged-1") == [20])
  }

  @Test func `a journal that names a file outside does not remove it`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(Sample.usual(1))])
    let outside = folder.path + "-outside"
    defer { try? FileManager.default.removeItem(atPath: outside) }
    func big(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    let name = Array(outside.utf8)
    // No page to restore, then the file that SQLite removes once it has rolled back.
    var journal = magic + big(0) + big(0) + big(try folder.bytes().count / 4096) + big(512) + big(4096)
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    journal += big(0x4000_0000 / 4096 + 1) + name + big(name.count)
    journal += big(name.reduce(0) { $0 + Int($1) }) + magic
    for access in [StateStore.Access.readOnly, .readWrite] {
      try Data([1]).write(to: URL(fileURLWithPath: outside))
      try Data(journal).write(to: URL(fileURLWithPath: folder.journal))
      let store = try folder.open(access)
      #expect(try store.load().records.isEmpty)
      #expect(FileManager.default.fileExists(atPath: outside))
    }
    #expect(try folder.names().filter { $0.hasSuffix("-journal") }.isEmpty)
  }

  @Test func `a folder with that name stays`() throws {
    let folder = try StateFolder()
    for name in [".damaged-1", ".damaged-2-journal"] {
      try FileManager.default.createDirectory(
        atPath: folder.database + name + "/full", withIntermediateDirectories: true)
    }
    try folder.replaceDatabase(with: [7])
    #expect(try folder.open().setAside?.path == folder.database + ".damaged-3")
    #expect(try folder.names().contains("state.db.damaged-1"))
  }

  @Test func `a later version's is set aside unchanged under its version`() throws {
    let folder = try StateFolder()
    let later = Schema.version + 5
    try folder.fill([.commit(try Sample.usual(1))])
    try Connection.open(path: folder.database, creating: false).run("PRAGMA user_version = \(later)")
    let bytes = try folder.bytes()
    #expect(try folder.snapshot(.readOnly).records.isEmpty)
    #expect(try folder.bytes() == bytes)
    let store = try folder.open()
    #expect(store.setAside?.why.contains("later syncmake") == true)
    #expect(store.setAside?.path == folder.database + ".v\(later)")
    #expect(try folder.bytes(of: ".v\(later)") == bytes)
    try expectUsable(store)
  }

  @Test func `each version and damage have their own names`() throws {
    let folder = try StateFolder()
    for version in [1, 1, 1, 2] {
      try folder.fill([])
      try Connection.open(path: folder.database, creating: false).run(
        "PRAGMA user_version = \(Schema.version + Int64(version))")
      _ = try folder.open()
    }
    try folder.replaceDatabase(with: [1])
    _ = try folder.open()
    let (next, second) = (Schema.version + 1, Schema.version + 2)
    #expect(
      try folder.names() == [
        "state.db", "state.db.damaged-1", "state.db.v\(next)", "state.db.v\(next)-2", "state.db.v\(second)",
      ])
  }

  @Test(arguments: [
    "PRAGMA user_version = 0", "PRAGMA user_version = 1", "DROP TABLE intentions",
    "PRAGMA application_id = 1", "DROP TABLE records", "DROP TABLE sidecars",
    "ALTER TABLE records RENAME COLUMN etag TO tag", "PRAGMA journal_mode = WAL",
    "CREATE VIEW more AS SELECT 1",
    "CREATE TRIGGER more AFTER INSERT ON records BEGIN DELETE FROM sidecars; END",
  ])
  func `one with other tables or marks is set aside`(change: String) throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(1))])
    try Connection.open(path: folder.database, creating: false).run(change)
    #expect(try folder.snapshot(.readOnly).records.isEmpty)
    let store = try folder.open()
    #expect(store.setAside != nil)
    try expectUsable(store)
  }

  @Test func `an empty file is a new one`() throws {
    let folder = try StateFolder()
    try folder.replaceDatabase(with: [])
    let store = try folder.open()
    #expect(store.setAside == nil)
    try expectUsable(store)
  }

  @Test func `a link is not followed`() throws {
    let folder = try StateFolder()
    let elsewhere = try StateFolder()
    try elsewhere.fill([.commit(try Sample.usual(1))])
    let before = try elsewhere.fingerprint()
    try FileManager.default.createSymbolicLink(
      atPath: folder.database, withDestinationPath: elsewhere.database)
    #expect(try folder.snapshot(.readOnly).records.isEmpty)
    let store = try folder.open()
    #expect(store.setAside != nil)
    try expectUsable(store)
    #expect(try elsewhere.fingerprint() == before)
  }

  @Test func `a folder or a pipe in its place is set aside without waiting`() throws {
    let folder = try StateFolder()
    mkdir(folder.database, 0o755)
    #expect(try folder.snapshot(.readOnly).records.isEmpty)
    try expectUsable(try folder.open())
    try folder.clear()
    mkfifo(folder.database, 0o644)
    #expect(try folder.snapshot(.readOnly).records.isEmpty)
    try expectUsable(try folder.open())
  }
}

@Suite struct `A row that was changed` {
  @Test(arguments: [
    "UPDATE records SET size = size + 1", "UPDATE records SET etag = NULL", "UPDATE records SET etag = X'41'",
    "UPDATE records SET inode = 'many'", "UPDATE records SET definition = '3:ab'",
    "UPDATE records SET definition = '99999999999999999999:a'", "UPDATE records SET sum = sum + 1",
    "UPDATE records SET output = '../../etc/passwd'", "UPDATE records SET output = CAST(X'ff' AS TEXT)",
    "UPDATE records SET name = ''", "UPDATE records SET download_size = NULL",
    "UPDATE records SET inputs = '1:a'", "UPDATE records SET content_digests = '3:md52:ab'",
    "UPDATE records SET sum = 1.5",
  ])
  func `is left out, the others stay, and it can be stored again`(change: String) throws {
    let folder = try StateFolder()
    let record = try Sample.usual(1)
    let pending = try Sample.usual(2)
    try folder.fill([.commit(record), .intend(pending)])
    let connection = try Connection.open(path: folder.database, creating: false)
    try connection.run(change)
    for access in [StateStore.Access.readOnly, .readWrite] {
      #expect(try folder.snapshot(access).records.isEmpty)
      #expect(try folder.snapshot(access).pending == [pending])
    }
    let store = try folder.open()
    try store.apply([.commit(record), .commit(pending)])
    #expect(try store.load().records == [record, pending])
    #expect(store.setAside == nil)
  }
}

@Suite struct `A damaged file never gives a wrong record` {
  /// A file of several pages in every table, and its content.
  private func original() throws -> (bytes: [UInt8], snapshot: StateSnapshot) {
    let folder = try StateFolder()
    var changes: [StateChange] = []
    for number in 0..<40 { changes.append(.commit(try Sample.usual(number))) }
    for number in 20..<30 { changes.append(.intend(try Sample.usual(number))) }
    for number in 0..<5 { changes.append(.sidecar(Sample.sidecar(number, size: 1500))) }
    try folder.fill(changes)
    return (try folder.bytes(), try folder.snapshot())
  }

  /// Opens the file as it is now; expects correct rows, perhaps fewer, and a working store.
  private func expectSafe(_ folder: StateFolder, _ snapshot: StateSnapshot, _ what: Comment) throws {
    for access in [StateStore.Access.readOnly, .readWrite] {
      let store = try folder.open(access)
      let found = try store.load()
      #expect(found.records.allSatisfy(snapshot.records.contains), what)
      #expect(found.pending.allSatisfy(snapshot.pending.contains), what)
      #expect(found.sidecars.allSatisfy(snapshot.sidecars.contains), what)
      #expect(Set(found.records.map(\.output)).count == found.records.count, what)
      guard access == .readWrite else { continue }
      let added = try Sample.usual(777)
      try store.apply([.commit(added), .sidecar(Sample.sidecar(777))])
      #expect(try store.load().records.contains(added), what)
    }
  }

  @Test func `if any byte is flipped`() throws {
    let (bytes, snapshot) = try original()
    let folder = try StateFolder()
    // Every byte of the header, and a stride through the rest that does not divide the page size.
    let positions =
      Array(0..<100)
      + Array(stride(from: 100, to: bytes.count, by: max(61, bytes.count / (Torture.isFull ? 200 : 50))))
    for position in positions {
      for flip: UInt8 in position < 100 ? [0x01, 0xff] : [position.isMultiple(of: 2) ? 0x10 : 0xff] {
        try folder.clear()
        var damaged = bytes
        damaged[position] ^= flip
        try folder.replaceDatabase(with: damaged)
        try expectSafe(folder, snapshot, "byte \(position) ^ \(flip)")
      }
    }
  }

  @Test func `if it is cut off at any byte`() throws {
    let (bytes, snapshot) = try original()
    let folder = try StateFolder()
    for length in [1, 16, 99, 100, 511, 512, 4095, 4096, 4097]
      + Array(stride(from: 8192, to: bytes.count, by: 4001))
    {
      try folder.clear()
      try folder.replaceDatabase(with: Array(bytes.prefix(length)))
      try expectSafe(folder, snapshot, "cut to \(length)")
    }
  }

  @Test func `if any page is blank or replaced by another`() throws {
    let (bytes, snapshot) = try original()
    let folder = try StateFolder()
    let pages = bytes.count / 4096
    for page in 0..<pages {
      for source in [nil, (page + 1) % pages, (page + 3) % pages] {
        try folder.clear()
        var damaged = bytes
        let content =
          source.map { bytes[($0 * 4096)..<(($0 + 1) * 4096)] } ?? ArraySlice(repeating: 0, count: 4096)
        damaged.replaceSubrange((page * 4096)..<((page + 1) * 4096), with: content)
        try folder.replaceDatabase(with: damaged)
        try expectSafe(folder, snapshot, "page \(page) from \(source.map(String.init) ?? "nothing")")
      }
    }
  }
}

/// Whether changes are stored and read back.
private func expectUsable(_ store: StateStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let record = try Sample.usual(4242)
  try store.apply([.commit(record)])
  #expect(try store.load().records == [record], sourceLocation: sourceLocation)
}
