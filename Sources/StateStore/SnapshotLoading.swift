import CSqliteShim
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Connection {
  /// Everything in the file, at one moment; rows that are damaged are left out.
  ///
  /// Outputs and URLs are unique in each list, in ascending order of their bytes. `version` is the file's own.
  ///
  /// - outputs: those of which the records are wanted, where not all are.
  func snapshot(
    version: Int64 = Schema.version, only outputs: [RelativePath]? = nil
  ) throws(StateFault) -> StateSnapshot {
    try run("BEGIN")
    // Nothing was written, so that there is nothing to lose by a failure to end it.
    defer { _ = unsafe sqliteshim_exec(handle, "ROLLBACK") }
    guard version == Schema.version else { return try Migration.snapshot(self, version: version) }
    let recorded: [TargetRecord] =
      if let outputs { try records(of: outputs.sorted()) } else {
        try rows(RecordRow.selection, .records, RecordRow.read)
      }
    var snapshot = StateSnapshot(
      records: recorded,
      pending: TargetRecord.lastOfEach(try intentions().flatMap { $0.records ?? [] }),
      sidecars: try rows(SidecarRow.selection, .sidecars, SidecarRow.read))
    try unsafe addWithheld(to: &snapshot) { (bytes) throws(DamagedData) in
      try unsafe IntentionList.records(in: bytes)
    }
    return snapshot
  }

  /// The rows that `read` finds whole; the first column is the key, and `sql` sorts by it.
  func rows<Row>(
    _ sql: String, _ table: Table, _ read: (inout RowReader) throws(DamagedData) -> Row
  ) throws(StateFault) -> [Row] {
    let statement = try prepare(sql)
    var rows: [Row] = []
    var order = KeyOrder()
    while try statement.step() {
      guard order.isAscending(statement) else {
        throw StateFault(
          code: SQLITE_CORRUPT, path: path, text: "the rows of \(table.rawValue) are out of order")
      }
      var reader = unsafe RowReader(statement.handle, table: table)
      if let row = try? read(&reader) { rows.append(row) }
    }
    return rows
  }
}

extension TargetRecord {
  /// Of several records of an output the last, sorted by output.
  static func lastOfEach(_ records: [TargetRecord]) -> [TargetRecord] {
    var byOutput: [RelativePath: TargetRecord] = [:]
    for record in records { byOutput[record.output] = record }
    return byOutput.values.sorted { $0.output < $1.output }
  }
}

/// Notices a key that comes twice, or too early: in a damaged tree a page may be reached on two ways.
private struct KeyOrder {
  private var last: [UInt8] = []
  private var isFirst = true

  mutating func isAscending(_ statement: borrowing Statement) -> Bool {
    let start = unsafe UnsafeRawPointer(sqliteshim_column_text(statement.handle, 0))
    let key = unsafe UnsafeRawBufferPointer(
      start: start, count: Int(sqliteshim_column_bytes(statement.handle, 0)))
    defer {
      isFirst = false
      last.removeAll(keepingCapacity: true)
      unsafe last.append(contentsOf: key)
    }
    return unsafe isFirst || follows(key)
  }

  /// Whether `key` is after the last one in SQLite's order, by bytes.
  private func follows(_ key: UnsafeRawBufferPointer) -> Bool {
    unsafe last.withUnsafeBytes { last in
      guard let a = last.baseAddress, let b = key.baseAddress else { return key.count > last.count }
      let order = unsafe memcmp(a, b, min(last.count, key.count))
      return order != 0 ? order < 0 : last.count < key.count
    }
  }
}
