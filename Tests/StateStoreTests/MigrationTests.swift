import Foundation
import SyncModel
import Testing

@testable import StateStore

@Suite struct `A state file of an earlier version` {
  private let all: [StateStore.Access] = [.readOnly, .readWrite, .readOnly]

  @Test func `of version 1 keeps its records, intentions and sidecars`() throws {
    let folder = try StateFolder()
    try VersionOne.write(to: folder)
    for access in all {
      let store = try folder.open(access)
      let snapshot = try store.load()
      #expect(snapshot.records == (try [VersionOne.genes(), Sample.bare("plain.txt", name: "plain")]))
      #expect(snapshot.pending == (try [VersionOne.next()]))
      #expect(snapshot.sidecars == [VersionOne.sidecar])
      #expect(store.setAside == nil)
      #expect(store.unusable == nil)
    }
    #expect(try folder.names() == ["state.db"])
    let connection = try Connection.open(path: folder.database, creating: false)
    #expect(try connection.number("PRAGMA user_version") == Schema.version)
    #expect(try connection.number("SELECT count(*) FROM sqlite_master WHERE name = 'pending'") == 0)
  }

  @Test func `accepts changes`() throws {
    let folder = try StateFolder()
    try VersionOne.write(to: folder)
    let store = try folder.open()
    try store.apply([.commit(try VersionOne.next()), .forget(output: RelativePath("plain.txt"))])
    #expect(try folder.snapshot().records == [VersionOne.genes(), VersionOne.next()])
    #expect(try folder.snapshot().pending.isEmpty)
  }

  @Test func `is not written by a reader`() throws {
    let folder = try StateFolder()
    try VersionOne.write(to: folder)
    let before = try folder.fingerprint()
    _ = try folder.snapshot(.readOnly)
    #expect(try folder.fingerprint() == before)
  }

  @Test func `is set aside as damaged if a table is missing`() throws {
    let folder = try StateFolder()
    try VersionOne.write(to: folder)
    try Connection.open(path: folder.database, creating: false).run("DROP TABLE pending")
    let store = try folder.open()
    #expect(store.setAside?.path == folder.database + ".damaged-1")
    #expect(try store.load().records.isEmpty)
  }

  /// A text that an earlier version kept, and that a later one drops, must not stay in the file.
  @Test func `leaves nothing in unused pages`() throws {
    let folder = try StateFolder()
    try VersionOne.write(to: folder)
    // The damaged row is dropped.
    #expect(String(decoding: try folder.bytes(), as: UTF8.self).contains("spoiled.txt"))
    _ = try folder.open()
    #expect(!String(decoding: try folder.bytes(), as: UTF8.self).contains("spoiled.txt"))
  }

  /// What ``EarlierSchema`` provides for a version whose intentions are lists.
  @Test func `is read by its own columns, and each value can be changed`() throws {
    let folder = try StateFolder()
    var record = try Sample.full()
    let pending = try Sample.usual(7)
    try folder.fill([.commit(record), .intend(pending), .sidecar(Sample.sidecar(1))])
    let columns = EarlierSchema.columns(RecordRow.columns)
    let shape = EarlierSchema(
      version: Schema.version, records: columns, sidecars: EarlierSchema.columns(SidecarRow.columns),
      intentions: .lists,
      upgradeRecord: { row in
        guard let url = row.text("validators_url") else { return }
        row["validators_url"] = .text(url + "#new")
      },
      upgradeSidecar: { $0["last_modified"] = .text("today") })
    let connection = try Connection.open(path: folder.database, creating: false)
    let snapshot = try Migration.snapshot(connection, version: Schema.version, history: [shape])
    let recordedURL = try #require(record.validators?.url)
    record.validators?.origin = .resource(recordedURL + "#new")
    #expect(snapshot.records == [record])
    #expect(snapshot.pending.map(\.validators?.url) == [pending.validators?.url.map { $0 + "#new" }])
    #expect(snapshot.sidecars.map(\.validators.lastModified) == ["today"])
  }

  /// Its table `publication` cannot hold that there is no lock.
  @Test func `of version 3 keeps a publication, and can hold one without a lock`() throws {
    let folder = try StateFolder()
    try VersionOne.write(to: folder)
    let connection = try Connection.open(path: folder.database, creating: false)
    try connection.run(
      """
      DROP TABLE pending;
      CREATE TABLE intentions (id INTEGER NOT NULL PRIMARY KEY, records BLOB NOT NULL, sum INTEGER NOT NULL);
      CREATE TABLE withheld (
        output TEXT NOT NULL PRIMARY KEY, record BLOB NOT NULL, keeps_time INTEGER NOT NULL, over INTEGER,
        over_size INTEGER, over_modified INTEGER, over_changed INTEGER, over_inode INTEGER, sum INTEGER NOT NULL);
      CREATE TABLE publication (
        id INTEGER NOT NULL PRIMARY KEY, lock TEXT NOT NULL, sum INTEGER NOT NULL);
      INSERT INTO publication VALUES (1, 'version: 1' || char(10), -5745538068477067993);
      PRAGMA user_version = 3;
      """)
    for access in all {
      let snapshot = try folder.snapshot(access)
      #expect(snapshot.records == (try [VersionOne.genes(), Sample.bare("plain.txt", name: "plain")]))
      #expect(snapshot.publication == Publication(lock: "version: 1\n"))
    }
    try folder.fill([.decide(Publication(lock: nil))])
    #expect(try folder.snapshot().publication == Publication(lock: nil))
  }

  @Test(arguments: [
    ("url", "https://a/f?sig=1&v=2\nhttps://b/f?token=***", "https://a/f?v=2\nhttps://b/f"),
    ("url", "data/f?sig=1", "data/f?sig=1"), ("output", "https://a/f?sig=1", "https://a/f?sig=1"),
    (
      "steps", "gunzip\nverify: {md5: {url: https://a/f.md5?sig=1}}",
      "gunzip\nverify: {md5: {url: https://a/f.md5}}"
    ),
    (
      "steps", "verify: {md5: {url: https://a/m?sig=1&v=2, entry: x?st}}",
      "verify: {md5: {url: https://a/m?v=2, entry: x?st}}"
    ),
    (
      "steps", "verify: {minisign: {key: K, url: https://a/s?a=1,2&sig=x, https://b/s?sig=y}}",
      "verify: {minisign: {key: K, url: https://a/s?a=1,2, https://b/s}}"
    ),
    (
      "steps",
      "verify: {md5: {url: https://a/m?sig=1, signed: {minisign: {key: K, url: https://a/s?sig=x}}}}",
      "verify: {md5: {url: https://a/m, signed: {minisign: {key: K, url: https://a/s}}}}"
    ),
    ("steps", "unpack: {entry: x?st}", "unpack: {entry: x?st}"),
  ]) func `of version 3 loses what signs the URLs in definitions`(
    field: String, was: String, now: String
  ) throws {
    let folder = try StateFolder()
    var record = try Sample.full()
    record.definition = [DefinitionField(name: field, value: was)]
    try folder.fill([.commit(record)])
    var history = try #require(EarlierSchema.all.last)
    history.version = Schema.version
    let connection = try Connection.open(path: folder.database, creating: false)
    let snapshot = try Migration.snapshot(connection, version: Schema.version, history: [history])
    #expect(snapshot.records.map(\.definition) == [[DefinitionField(name: field, value: now)]])
    // What this version has written is read as it is.
    #expect(try folder.snapshot(.readOnly).records == [record])
  }

  @Test func `is supported for every earlier version`() {
    #expect(EarlierSchema.all.map(\.version) == Array(1..<Schema.version))
  }
}

/// A state file of version 1 as that version wrote it, and its content.
///
/// Everything is literal text, including the checksums of the rows: code of this version must not be used.
private enum VersionOne {
  static let sidecar = SidecarRecord(
    url: "https://data.example.org/genes.md5",
    validators: Validators(etag: EntityTag("\"s1\""), url: "https://data.example.org/genes.md5"),
    body: Array("d41d8cd98f00b204e9800998ecf8427e".utf8))

  static func genes() throws -> TargetRecord {
    let digests = try ["a", "b", "c"].map {
      try #require(HexDigest(String(repeating: $0, count: 64), .sha256))
    }
    let md5 = try #require(HexDigest(String(repeating: "d", count: 32), .md5))
    return TargetRecord(
      name: TargetName("genes"), output: try RelativePath("data/genes.tsv"),
      definition: [
        DefinitionField(name: "url", value: "https://data.example.org/genes.tsv.gz"),
        DefinitionField(name: "output", value: "data/genes.tsv"),
        DefinitionField(name: "steps", value: "gunzip"),
      ],
      signature: FileSignature(
        size: 456, modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789),
        changed: Timestamp(nanoseconds: 1_700_000_001_000_000_000), inode: 42),
      content: ContentIdentity(size: 456, sha256: digests[0]),
      download: ContentIdentity(size: 123, digests: [.sha256: digests[1], .md5: md5]),
      validators: Validators(
        etag: EntityTag("\"a1\""), lastModified: "Mon, 13 Nov 2023 00:00:00 GMT",
        url: "https://cdn.example.org/genes"),
      inputs: [InputRecord(kind: .needs, name: TargetName("base"), digest: digests[2])],
      checkedAt: Timestamp(nanoseconds: 1_700_000_002_000_000_000),
      updatedAt: Timestamp(nanoseconds: 1_700_000_001_000_000_000))
  }

  /// The expected content.
  static func next() throws -> TargetRecord {
    var record = try genes()
    record.name = TargetName("next")
    record.output = try RelativePath("data/next.tsv")
    record.content = ContentIdentity(size: 456, sha256: HexDigest(String(repeating: "c", count: 64), .sha256))
    return record
  }

  static func write(to folder: StateFolder) throws {
    let connection = try Connection.open(path: folder.database, creating: true)
    try connection.run(tables)
    try connection.run(rows)
  }

  private static let columns = """
    output TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL,
    size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL,
    content_size INTEGER NOT NULL, content_digests TEXT NOT NULL,
    download_size INTEGER, download_digests TEXT,
    validators_url TEXT, etag TEXT, last_modified TEXT, file_stamp TEXT,
    inputs TEXT NOT NULL, checked_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, sum INTEGER NOT NULL
    """

  private static let tables = """
    CREATE TABLE records (\(columns)) WITHOUT ROWID;
    CREATE TABLE pending (\(columns)) WITHOUT ROWID;
    CREATE TABLE sidecars (
      url TEXT NOT NULL PRIMARY KEY, validators_url TEXT NOT NULL, etag TEXT, last_modified TEXT,
      file_stamp TEXT, body BLOB NOT NULL, sum INTEGER NOT NULL);
    PRAGMA application_id = 0x73796e63;
    PRAGMA user_version = 1;
    """

  private static let (a, b) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
  private static let (c, d) = (String(repeating: "c", count: 64), String(repeating: "d", count: 32))
  private static let definition =
    "3:url37:https://data.example.org/genes.tsv.gz6:output14:data/genes.tsv5:steps6:gunzip"

  /// The checksum of the third record is wrong by one.
  private static let rows = """
    INSERT INTO records VALUES (
      'data/genes.tsv', 'genes', '\(definition)', 456, 1700000000123456789, 1700000001000000000, 42,
      456, '6:sha25664:\(a)', 123, '6:sha25664:\(b)3:md532:\(d)',
      'https://cdn.example.org/genes', '"a1"', 'Mon, 13 Nov 2023 00:00:00 GMT', NULL,
      '5:needs4:base1:00:64:\(c)', 1700000002000000000, 1700000001000000000, 6833285398634528060);
    INSERT INTO records VALUES (
      'plain.txt', 'plain', '', 0, 0, 0, 0, 0, '', NULL, NULL, NULL, NULL, NULL, NULL, '', 0, 0,
      6901978412059236705);
    INSERT INTO records VALUES (
      'spoiled.txt', 'plain', '', 0, 0, 0, 0, 0, '', NULL, NULL, NULL, NULL, NULL, NULL, '', 0, 0,
      -9096880867754499282);
    INSERT INTO pending VALUES (
      'data/next.tsv', 'next', '\(definition)', 456, 1700000000123456789, 1700000001000000000, 42,
      456, '6:sha25664:\(c)', 123, '6:sha25664:\(b)3:md532:\(d)',
      'https://cdn.example.org/genes', '"a1"', 'Mon, 13 Nov 2023 00:00:00 GMT', NULL,
      '5:needs4:base1:00:64:\(c)', 1700000002000000000, 1700000001000000000, 4891247991679253521);
    INSERT INTO sidecars VALUES (
      'https://data.example.org/genes.md5', 'https://data.example.org/genes.md5', '"s1"', NULL, NULL,
      X'6434316438636439386630306232303465393830303939386563663834323765', -5124290222258636395);
    """
}
