import CSqliteShim

/// Takes the values of the present row one after another and sums them up as it goes.
///
/// Nothing that it gave may be believed before ``finish()`` has returned.
@safe struct RowReader: ColumnReader {
  private let statement: OpaquePointer
  private var index: Int32 = -1
  private var sum: RowSum

  init(_ statement: OpaquePointer, table: Table) {
    unsafe self.statement = statement
    sum = RowSum(seed: table.seed)
  }

  mutating func optionalInteger() throws(DamagedData) -> Int64? {
    guard try next(SQLITE_INTEGER) else { return nil }
    let value = unsafe sqliteshim_column_int64(statement, index)
    sum.add(value)
    return value
  }

  mutating func optionalText() throws(DamagedData) -> String? {
    guard try next(SQLITE_TEXT) else { return nil }
    return unsafe String(repairing: textBytes())
  }

  mutating func optionalList<Value>(
    _ read: (UnsafeRawBufferPointer) -> Value?
  ) throws(DamagedData) -> Value? {
    guard try next(SQLITE_TEXT) else { return nil }
    guard let value = unsafe read(textBytes()) else { throw DamagedData() }
    return value
  }

  mutating func blob() throws(DamagedData) -> [UInt8] {
    guard try next(SQLITE_BLOB) else { throw DamagedData() }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: sqliteshim_column_blob(statement, index), count: Int(sqliteshim_column_bytes(statement, index)))
    unsafe sum.add(bytes)
    return unsafe Array(bytes)
  }

  /// The next value, whatever it is.
  mutating func any() throws(DamagedData) -> StoredValue {
    switch unsafe sqliteshim_column_type(statement, index + 1) {
    case SQLITE_INTEGER: return .integer(try integer())
    case SQLITE_TEXT: return .text(try text())
    case SQLITE_BLOB: return .blob(try blob())
    default:
      // NULL, or a number with a fraction, which no row of ours has: then this throws.
      _ = try next(SQLITE_TEXT)
      return .null
    }
  }

  /// Compares the row's own sum with the sum of the values read.
  mutating func finish() throws(DamagedData) {
    guard try next(SQLITE_INTEGER),
      unsafe UInt64(bitPattern: sqliteshim_column_int64(statement, index)) == sum.value
    else { throw DamagedData() }
  }

  /// Continues to the next value; `false` if it is NULL.
  private mutating func next(_ type: Int32) throws(DamagedData) -> Bool {
    index += 1
    switch unsafe sqliteshim_column_type(statement, index) {
    case type: return true
    case SQLITE_NULL:
      sum.addNull()
      return false
    default: throw DamagedData()
    }
  }

  private mutating func textBytes() -> UnsafeRawBufferPointer {
    // The text is asked for before its length, as SQLite wants it.
    let start = unsafe UnsafeRawPointer(sqliteshim_column_text(statement, index))
    let bytes = unsafe UnsafeRawBufferPointer(
      start: start, count: Int(sqliteshim_column_bytes(statement, index)))
    unsafe sum.add(bytes)
    return unsafe bytes
  }
}

extension String {
  /// Half as dear as the initialiser that validates, which the row's sum makes needless.
  init(repairing bytes: UnsafeRawBufferPointer) {
    self = unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
