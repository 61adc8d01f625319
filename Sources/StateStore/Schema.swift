import CSqliteShim

/// The tables of the state file, and how it is known to be ours.
enum Schema {
  /// Written to `user_version`.
  ///
  /// History:
  /// - 1 (0.1.0): `records` and `pending`, a row for each output, and `sidecars`, one for each URL. Names are
  ///   no keys: a target that moved its output, or two manifests in one folder, have several rows of one name.
  /// - 2 (0.1.0): `intentions`, a list for each group, in the place of `pending`. A file of version 1, which no release
  ///   wrote, is put aside.
  ///
  /// A file of a later version is put aside unchanged; the state is only a cache, and a later program knows
  /// more than this one about what must hold in it. A new version adds its line above, and either a step that
  /// brings the one before it up to date or, since that only costs work, a line that says it starts empty.
  static let version: Int64 = 2

  /// Written to `application_id`: "sync" in ASCII.
  static let applicationID: Int64 = 0x7379_6e63

  /// The first sixteen bytes of every SQLite database.
  private static let magic = Array("SQLite format 3\0".utf8)
  /// The size of a database's header in bytes.
  static let headerSize = 100

  /// What the first bytes of a file say of it, before SQLite may touch it; `nil` where it may be ours.
  static func objection(toHeader header: [UInt8]) -> String? {
    guard header.count == headerSize, header.starts(with: magic) else {
      return "it is not an SQLite database"
    }
    // Bytes 18 and 19 are 1 for a rollback journal and 2 for WAL, which we never use.
    guard header[18] == 1, header[19] == 1 else { return "it is not in the journal mode that syncmake uses" }
    return objection(version: number(in: header, at: 60), applicationID: number(in: header, at: 68))
  }

  /// What is wrong with a file that names itself so; `nil` for one that may be ours.
  static func objection(version: Int64, applicationID: Int64) -> String? {
    guard applicationID == self.applicationID else { return "it is not a state file of syncmake" }
    guard version <= self.version else {
      return "it was written by a later syncmake (state version \(version))"
    }
    guard version > 0 else { return "its state version is \(version), which never was" }
    guard version == self.version else {
      return "it was written by an earlier syncmake (state version \(version))"
    }
    return nil
  }

  /// A header's 32-bit number, which is big-endian.
  static func number(in header: [UInt8], at offset: Int) -> Int64 {
    header[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Makes the tables in an empty database, and objects to one that is not ours.
  static func prepare(_ connection: Connection) throws(StateFault) {
    if try isEmpty(connection) {
      try connection.transaction { () throws(StateFault) in
        // Another process may have come first.
        if try isEmpty(connection) { try connection.run(creation) }
      }
    }
    try check(connection)
  }

  /// Objects to a database that is not ours.
  static func check(_ connection: Connection) throws(StateFault) {
    let objection = objection(
      version: try connection.number("PRAGMA user_version"),
      applicationID: try connection.number("PRAGMA application_id"))
    guard let objection else { return }
    throw StateFault(code: SQLITE_NOTADB, path: connection.path, text: objection)
  }

  /// Whether nothing was ever written to it.
  static func isEmpty(_ connection: Connection) throws(StateFault) -> Bool {
    guard try connection.number("PRAGMA user_version") == 0 else { return false }
    return try connection.number("SELECT count(*) FROM sqlite_master") == 0
  }

  private static let creation = """
    CREATE TABLE records (\(RecordRow.definition)) WITHOUT ROWID;
    CREATE TABLE intentions (id INTEGER NOT NULL PRIMARY KEY, records BLOB NOT NULL, sum INTEGER NOT NULL);
    CREATE TABLE sidecars (\(SidecarRow.definition));
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """
}

/// A table, by the name it has in the file.
enum Table: String {
  case records, intentions, sidecars

  /// What its rows' sums begin with; part of the file format.
  var seed: UInt64 {
    switch self {
    case .records: 1
    case .intentions: 2
    case .sidecars: 3
    }
  }
}
