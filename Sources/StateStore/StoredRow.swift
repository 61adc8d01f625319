/// A value of a row, without its meaning.
enum StoredValue: Equatable, Sendable {
  case null
  case integer(Int64)
  /// Also a list (``FieldList``).
  case text(String)
  case blob([UInt8])
}

/// A row of an earlier version: its values by the names of their columns.
struct StoredRow: Equatable, Sendable {
  private var values: [String: StoredValue] = [:]

  /// NULL for a column that the row does not have.
  subscript(column: String) -> StoredValue {
    get { values[column] ?? .null }
    set { values[column] = newValue }
  }

  /// The text in a column; `nil` for any other value.
  func text(_ column: String) -> String? {
    guard case .text(let text) = self[column] else { return nil }
    return text
  }
}

/// Gives the values of a row in the order of `columns`, as if it were a row of this version.
struct StoredRowReader: ColumnReader {
  private let row: StoredRow
  private let columns: [String]
  private var index = 0

  init(_ row: StoredRow, columns: [String]) {
    self.row = row
    self.columns = columns
  }

  mutating func optionalInteger() throws(DamagedData) -> Int64? {
    switch try next() {
    case .null: return nil
    case .integer(let value): return value
    default: throw DamagedData()
    }
  }

  mutating func optionalText() throws(DamagedData) -> String? {
    switch try next() {
    case .null: return nil
    case .text(let value): return value
    default: throw DamagedData()
    }
  }

  mutating func optionalList<Value>(
    _ read: (UnsafeRawBufferPointer) -> Value?
  ) throws(DamagedData) -> Value? {
    guard var text = try optionalText() else { return nil }
    guard let value = text.withUTF8({ unsafe read(UnsafeRawBufferPointer($0)) }) else { throw DamagedData() }
    return value
  }

  mutating func blob() throws(DamagedData) -> [UInt8] {
    guard case .blob(let bytes) = try next() else { throw DamagedData() }
    return bytes
  }

  /// The sum was compared when the row was read.
  mutating func finish() throws(DamagedData) {}

  private mutating func next() throws(DamagedData) -> StoredValue {
    guard index < columns.count else { throw DamagedData() }
    defer { index += 1 }
    return row[columns[index]]
  }
}
