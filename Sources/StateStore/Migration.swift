import CSqliteShim
import SyncModel

/// Brings a state file of an earlier version up to date.
///
/// Everything is read as values of this version and then written into new tables, in one transaction: a kill at any
/// moment leaves the earlier file. A reader that may write nothing does the first half only.
enum Migration {
  /// Rewrites the database, whose version is one of ``EarlierSchema/all``.
  static func run(_ connection: Connection) throws(StateFault) {
    // Values of an earlier version must not stay in unused pages.
    let secureDelete = try connection.number("PRAGMA secure_delete")
    try connection.run("PRAGMA secure_delete = ON")
    try connection.transaction { () throws(StateFault) in
      // Another process may have come first.
      let version = try Schema.check(connection)
      guard version != Schema.version else { return }
      let snapshot = try snapshot(connection, version: version)
      for table in try tables(of: connection) { try connection.run("DROP TABLE \(table)") }
      try connection.run(Schema.creation)
      try insert(snapshot, into: connection)
    }
    try connection.run("PRAGMA secure_delete = \(secureDelete)")
  }

  /// The whole content of a file of an earlier version, as values of this one; inside a transaction.
  ///
  /// `history` has the earlier versions; tests pass another.
  static func snapshot(
    _ connection: Connection, version: Int64, history: [EarlierSchema] = EarlierSchema.all
  ) throws(StateFault) -> StateSnapshot {
    let earlier = history.filter { $0.version >= version }
    guard let origin = earlier.first, origin.version == version else {
      throw StateFault(
        code: SQLITE_NOTADB, path: connection.path, text: "its state version is \(version), which never was")
    }
    let (columns, sidecarColumns) = (
      EarlierSchema.columns(RecordRow.columns), EarlierSchema.columns(SidecarRow.columns)
    )
    let record = { (row: StoredRow) throws(DamagedData) -> TargetRecord in
      var row = row
      for step in earlier { step.upgradeRecord(&row) }
      var reader = StoredRowReader(row, columns: columns)
      return try RecordRow.read(&reader)
    }
    var snapshot = StateSnapshot(
      records: try rows("records", origin.records, .records, of: connection, record),
      pending: try pending(connection, origin, record),
      sidecars: try rows("sidecars", origin.sidecars, .sidecars, of: connection) {
        (row) throws(DamagedData) in
        var row = row
        for step in earlier { step.upgradeSidecar(&row) }
        var reader = StoredRowReader(row, columns: sidecarColumns)
        return try SidecarRow.read(&reader)
      })
    guard origin.withholds else { return snapshot }
    try unsafe connection.addWithheld(to: &snapshot) { (bytes) throws(DamagedData) in
      try unsafe records(IntentionList.values(in: bytes), origin.records, record)
    }
    return snapshot
  }

  /// The rows of a table that are whole, in the order of their first column.
  private static func rows<Row>(
    _ table: String, _ columns: [String], _ sum: Table, of connection: Connection,
    _ make: (StoredRow) throws(DamagedData) -> Row
  ) throws(StateFault) -> [Row] {
    let sql = "SELECT \(columns.joined(separator: ", ")), sum FROM \(table) ORDER BY \(columns[0])"
    return try connection.rows(sql, sum) { (reader) throws(DamagedData) in
      var row = StoredRow()
      for column in columns { row[column] = try reader.any() }
      try reader.finish()
      return try make(row)
    }
  }

  private static func pending(
    _ connection: Connection, _ origin: EarlierSchema,
    _ record: (StoredRow) throws(DamagedData) -> TargetRecord
  ) throws(StateFault) -> [TargetRecord] {
    switch origin.intentions {
    case .rows:
      // Their sums began as those of the lists do that took their place.
      return try rows("pending", origin.records, .intentions, of: connection, record)
    case .lists:
      return TargetRecord.lastOfEach(
        try connection.intentionLists().flatMap { list in
          list.values.flatMap { try? records($0, origin.records, record) } ?? []
        })
    }
  }

  /// The records whose values are one after another in a list; throws if one is incomplete.
  private static func records(
    _ values: [StoredValue], _ columns: [String], _ record: (StoredRow) throws(DamagedData) -> TargetRecord
  ) throws(DamagedData) -> [TargetRecord] {
    guard values.count.isMultiple(of: columns.count) else { throw DamagedData() }
    var records: [TargetRecord] = []
    for start in stride(from: 0, to: values.count, by: columns.count) {
      var row = StoredRow()
      for (offset, column) in columns.enumerated() { row[column] = values[start + offset] }
      records.append(try record(row))
    }
    return records
  }

  private static func tables(of connection: Connection) throws(StateFault) -> [String] {
    let statement = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE name IN ('records', 'pending', 'intentions', 'sidecars', 'withheld', 'publication')"
    )
    var names: [String] = []
    while try statement.step() {
      guard let name = unsafe sqliteshim_column_text(statement.handle, 0) else { continue }
      unsafe names.append(String(cString: name))
    }
    return names
  }

  private static func insert(_ snapshot: StateSnapshot, into connection: Connection) throws(StateFault) {
    let record = try connection.prepare(RecordRow.replacement)
    for value in snapshot.records { try record.perform { RecordRow.writeRow(value, to: &$0) } }
    let sidecar = try connection.prepare(SidecarRow.replacement)
    for value in snapshot.sidecars { try sidecar.perform { SidecarRow.write(value, to: &$0) } }
    let intentions = try Intentions(connection)
    for value in snapshot.pending { try intentions.add(value) }
    try intentions.finish()
    guard !snapshot.withheld.isEmpty || snapshot.publication != nil else { return }
    let withholding = try Withholding(connection)
    for value in snapshot.withheld { try withholding.apply(.withhold(value)) }
    if let publication = snapshot.publication { try withholding.apply(.decide(publication)) }
  }
}
