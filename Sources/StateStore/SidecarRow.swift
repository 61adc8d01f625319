import SyncModel

/// How a ``SidecarRecord`` stands in the table `sidecars`.
enum SidecarRow {
  /// With a rowid, unlike the others: bodies reach 1 MiB, and would make a tree of keys deep.
  static let definition = """
    url TEXT NOT NULL PRIMARY KEY, validators_url TEXT NOT NULL, etag TEXT, last_modified TEXT,
    file_stamp TEXT, body BLOB NOT NULL, sum INTEGER NOT NULL
    """

  private static let columns = "url, validators_url, etag, last_modified, file_stamp, body, sum"

  static let replacement = "INSERT OR REPLACE INTO sidecars (\(columns)) VALUES (?,?,?,?,?,?,?)"
  static let selection = "SELECT \(columns) FROM sidecars ORDER BY url"

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

  static func read(_ row: inout RowReader) throws(DamagedRow) -> SidecarRecord {
    let url = try row.text()
    guard let validators = try RecordRow.validators(&row) else { throw DamagedRow() }
    let body = try row.blob()
    try row.finish()
    return SidecarRecord(url: url, validators: validators, body: body)
  }
}
