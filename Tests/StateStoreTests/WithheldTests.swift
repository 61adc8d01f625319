import SyncModel
import Testing

@testable import StateStore

/// The state of an update before it publishes everything.
@Suite struct `Withheld outputs` {
  private func samples() throws -> [WithheldOutput] {
    let there = FileSignature(
      size: 7, modified: Timestamp(nanoseconds: -5), changed: Timestamp(nanoseconds: 6), inode: .max)
    return [
      WithheldOutput(record: try Sample.full(), keepsTime: true),
      WithheldOutput(record: try Sample.usual(1), keepsTime: false, over: .missing),
      WithheldOutput(record: try Sample.usual(2), keepsTime: false, over: .file(there)),
    ]
  }

  @Test(arguments: [StateStore.Access.readOnly, .readWrite])
  func `are read back unchanged`(access: StateStore.Access) throws {
    let folder = try StateFolder()
    let withheld = try samples()
    try folder.fill(withheld.map { .withhold($0) } + [.decide(Publication(lock: "version: 1\n"))])
    let snapshot = try folder.snapshot(access)
    #expect(snapshot.withheld == withheld.sorted { $0.record.output < $1.record.output })
    #expect(snapshot.publication == Publication(lock: "version: 1\n"))
    #expect(snapshot.records.isEmpty)
    // Any of those that were decided may be in place.
    #expect(snapshot.pending == withheld.dropFirst().map(\.record))
  }

  @Test func `are replaced and removed by their outputs`() throws {
    let folder = try StateFolder()
    var withheld = try samples()
    try folder.fill(withheld.map { .withhold($0) })
    withheld[1].over = nil
    try folder.fill([.withhold(withheld[1]), .unwithhold(output: withheld[2].record.output)])
    #expect(try folder.snapshot().withheld == Array(withheld.prefix(2)))
  }

  @Test func `are concluded with their publication`() throws {
    let folder = try StateFolder()
    try folder.fill([.decide(Publication(lock: "a"))])
    try folder.fill([.decide(Publication(lock: "b"))])
    #expect(try folder.snapshot().publication?.lock == "b")
    try folder.fill([.decide(Publication(lock: nil))])
    #expect(try folder.snapshot().publication == Publication(lock: nil))
    try folder.fill([.concludePublication])
    #expect(try folder.snapshot().publication == nil)
  }

  @Test func `say what a new lock replaces`() throws {
    let folder = try StateFolder()
    let digest = try #require(HexDigest(String(repeating: "a", count: 64), .sha256))
    for replaced in [ReplacedLock.file(sha256: digest), .nothing, nil] {
      let publication = Publication(lock: "version: 1\n", replaced: replaced)
      try folder.fill([.decide(publication)])
      #expect(try folder.snapshot().publication == publication)
    }
    try folder.fill([.decide(Publication(lock: "a", replaced: .nothing)), .concludePublication])
    #expect(try folder.snapshot().publication == nil)
  }

  @Test(arguments: [
    "UPDATE withheld SET keeps_time = 0", "UPDATE withheld SET record = X''", "UPDATE withheld SET sum = 1",
    "UPDATE withheld SET output = 'other'", "DROP TABLE publication",
  ])
  func `are ignored if they are damaged`(change: String) throws {
    let folder = try StateFolder()
    try folder.fill([.withhold(try samples()[0]), .commit(try Sample.usual(9))])
    try Connection.open(path: folder.database, creating: false).run(change)
    #expect(try folder.snapshot().withheld.isEmpty)
    #expect(try folder.snapshot().records.count == 1)
    try folder.fill([.withhold(try samples()[1])])
    #expect(try folder.snapshot().withheld.last == samples()[1])
  }

  @Test func `are stored after the device was full for the first of them`() throws {
    let folder = try StateFolder()
    try folder.fill([.commit(try Sample.usual(9))])
    let writer = try Writer(path: folder.database)
    let limit = try writer.connection.number("PRAGMA max_page_count")
    // SQLite gives the same error when a database may not grow as when the device is full.
    let pages = try writer.connection.number("PRAGMA page_count")
    try writer.connection.run("PRAGMA max_page_count = \(pages + 3)")
    var large = try samples()[1]
    large.record.definition = [DefinitionField(name: "steps", value: String(repeating: "s", count: 100_000))]
    let fault = #expect(throws: StateFault.self) { try writer.apply([.withhold(large)]) }
    #expect(fault?.isDiskFull == true)
    try writer.connection.run("PRAGMA max_page_count = \(limit)")
    try writer.apply([.withhold(try samples()[1])])
    #expect(try folder.snapshot().withheld == [samples()[1]])
    #expect(try folder.snapshot().records.count == 1)
  }

  @Test func `survive a migration`() throws {
    let folder = try StateFolder()
    let withheld = try samples()
    try folder.fill(withheld.map { .withhold($0) } + [.decide(Publication(lock: "l"))])
    let shape = EarlierSchema(
      version: Schema.version, records: EarlierSchema.columns(RecordRow.columns),
      sidecars: EarlierSchema.columns(SidecarRow.columns), intentions: .lists)
    let connection = try Connection.open(path: folder.database, creating: false)
    let snapshot = try Migration.snapshot(connection, version: Schema.version, history: [shape])
    #expect(snapshot.withheld == withheld.sorted { $0.record.output < $1.record.output })
    #expect(snapshot.publication?.lock == "l")
  }
}
