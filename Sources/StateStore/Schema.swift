import CSqliteShim

/// The tables of the state file, and how a file is known to be ours.
///
/// **To add or change a column**, the version grows by one:
///
/// 1. Add the earlier version to ``EarlierSchema/all``: copy its columns there as text, since they must never change
///    again, and say in `upgrade` what its values become. A column that is new is NULL unless `upgrade` sets it.
/// 2. Change `definition`, `columns`, `write` and `read` in ``RecordRow`` or ``SidecarRow``. (Intentions follow
///    ``RecordRow`` by themselves.) A column that may be absent in earlier files must be allowed to be NULL.
/// 3. Raise ``version`` and add a line to the history. If the same columns mean something else now, or a record has
///    values that a snapshot needs, also raise the number in ``SnapshotLayout/magic``.
/// 4. Raise the number in ``ChangeLog``'s form: a log of the earlier version is then ignored.
/// 5. In `MigrationTests`, add a file of the earlier version, built by the text of its own tables.
///
/// Between two releases one new version is enough: whoever comes second adds to it.
enum Schema {
  /// Written to `user_version`.
  ///
  /// History:
  /// - 1 (0.1.0): `records` and `pending`, a row for each output, and `sidecars`, one for each URL. Names are
  ///   no keys: a target that moved its output, or two manifests in one folder, have several rows with one name.
  /// - 2 (0.1.0): `intentions`, a list for each group, which replaces `pending`.
  /// - 3 (0.1.0): perhaps also `withheld` and `publication`, for updates that publish all of their outputs or none.
  ///   The first update creates them.
  /// - 4 (0.1.0): a `publication` may have no `lock`: that of targets that are published together.
  ///   Definitions have no signatures of URLs.
  ///
  /// A file of an earlier version is migrated (``Migration``). A file of a later version is set aside unchanged:
  /// the state is only a cache, and a later program has rules that this one does not know.
  static let version: Int64 = 4

  /// Written to `application_id`: "sync" in ASCII.
  static let applicationID: Int64 = 0x7379_6e63

  /// The first sixteen bytes of every SQLite database.
  private static let magic = Array("SQLite format 3\0".utf8)
  /// The size of a database's header in bytes.
  static let headerSize = 100

  /// Why a file cannot be used.
  struct Objection: Equatable, Sendable {
    var text: String
    /// The file's version if a later program wrote it; `nil` if it is damaged or not ours.
    var laterVersion: Int64?
  }

  /// The fault that a file's first bytes show, before SQLite uses it; `nil` if it may be ours.
  static func objection(toHeader header: [UInt8]) -> Objection? {
    guard header.count == headerSize, header.starts(with: magic) else {
      return Objection(text: "it is not an SQLite database")
    }
    // Bytes 18 and 19 are 1 for a rollback journal and 2 for WAL, which we never use.
    guard header[18] == 1, header[19] == 1 else {
      return Objection(text: "it is not in the journal mode that syncmake uses")
    }
    return objection(version: number(in: header, at: 60), applicationID: number(in: header, at: 68))
  }

  /// The fault of a file with this identification; `nil` for one that may be ours, of this or an earlier version.
  static func objection(version: Int64, applicationID: Int64) -> Objection? {
    guard applicationID == self.applicationID else {
      return Objection(text: "it is not a state file of syncmake")
    }
    guard version <= self.version else {
      return Objection(
        text: "it was written by a later syncmake (state version \(version))", laterVersion: version)
    }
    guard version > 0 else { return Objection(text: "its state version is \(version), which never was") }
    return nil
  }

  /// Whether a whole header says that a write-ahead log belongs to the file.
  static func isWithLog(_ header: [UInt8]) -> Bool {
    header.count == headerSize && header.starts(with: magic) && (header[18] == 2 || header[19] == 2)
  }

  /// SQLite's change counter in the first bytes of a file; `nil` if there are too few.
  static func counter(inHeader bytes: [UInt8]) -> Int64? {
    bytes.count >= headerSize ? number(in: bytes, at: 24) : nil
  }

  /// A header's 32-bit number, which is big-endian.
  static func number(in header: [UInt8], at offset: Int) -> Int64 {
    header[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Makes the tables in an empty database, migrates an earlier one, and objects to one that is not ours.
  static func prepare(_ connection: Connection) throws(StateFault) {
    if try isEmpty(connection) {
      try connection.transaction { () throws(StateFault) in
        // Another process may have come first.
        if try isEmpty(connection) { try connection.run(creation) }
      }
    }
    if try check(connection) != version { try Migration.run(connection) }
  }

  /// The version of a database that is ours; objects to any other.
  static func check(_ connection: Connection) throws(StateFault) -> Int64 {
    let found = try connection.number("PRAGMA user_version")
    let objection = objection(
      version: found, applicationID: try connection.number("PRAGMA application_id"))
    let ofTables = objection == nil ? try tableObjection(connection) : nil
    guard let objection = objection ?? ofTables else { return found }
    throw StateFault(
      code: SQLITE_NOTADB, path: connection.path, text: objection.text, laterVersion: objection.laterVersion)
  }

  /// The fault of a database with views, triggers or virtual tables, of which ours has none: a checkout can bring any, and
  /// a view may be endless. They are what has no page of its own.
  private static func tableObjection(_ connection: Connection) throws(StateFault) -> Objection? {
    let strange = "type NOT IN ('table', 'index') OR rootpage IS NULL OR rootpage < 1"
    return try connection.number("SELECT count(*) FROM sqlite_master WHERE \(strange)") == 0
      ? nil : Objection(text: "it has tables that syncmake never makes")
  }

  /// Whether nothing was ever written to it.
  static func isEmpty(_ connection: Connection) throws(StateFault) -> Bool {
    guard try connection.number("PRAGMA user_version") == 0 else { return false }
    return try connection.number("SELECT count(*) FROM sqlite_master") == 0
  }

  /// Makes the tables of this version.
  static let creation = """
    CREATE TABLE records (\(RecordRow.definition)) WITHOUT ROWID;
    CREATE TABLE intentions (id INTEGER NOT NULL PRIMARY KEY, records BLOB NOT NULL, sum INTEGER NOT NULL);
    CREATE TABLE sidecars (\(SidecarRow.definition));
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """
}

/// A table, by the name it has in the file.
enum Table: String {
  case records, intentions, sidecars, withheld, publication

  /// The start of its rows' sums; part of the file format.
  var seed: UInt64 {
    switch self {
    case .records: 1
    case .intentions: 2
    case .sidecars: 3
    case .withheld: 4
    case .publication: 5
    }
  }
}
