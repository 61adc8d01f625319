import SyncModel

/// The form of a ``SidecarRecord`` in the table `sidecars`.
enum SidecarRow {
  /// With a rowid, unlike the others: bodies reach 1 MiB, and would make a tree of keys deep.
  static let definition = """
    url TEXT NOT NULL PRIMARY KEY, validators_url TEXT NOT NULL, etag TEXT, last_modified TEXT,
    file_stamp TEXT, body BLOB NOT NULL, sum INTEGER NOT NULL
    """

  /// In the order of ``write(_:to:)`` and ``read(_:)``; the sum, the table's last column, is not included.
  static let columns = "url, validators_url, etag, last_modified, file_stamp, body"

  static let replacement = "INSERT OR REPLACE INTO sidecars (\(columns), sum) VALUES (?,?,?,?,?,?,?)"
  static let selection = "SELECT \(columns), sum FROM sidecars ORDER BY url"

  static func write(_ sidecar: SidecarRecord, to row: inout RowWriter) {
    row.begin(.sidecars)
    row.text(sidecar.url)
    row.text(sidecar.validators.url)
    row.text(sidecar.validators.etag?.text)
    row.text(sidecar.validators.lastModified)
    row.text(sidecar.validators.fileStamp)
    row.blob(sidecar.body)
    row.finish()
  }

  static func read<Row: ColumnReader>(_ row: inout Row) throws(DamagedData) -> SidecarRecord {
    let url = try row.text()
    guard let validators = try RecordRow.validators(&row) else { throw DamagedData() }
    let body = try row.blob()
    try row.finish()
    return SidecarRecord(url: url, validators: validators, body: body)
  }
}
