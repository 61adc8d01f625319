/// Takes a row's values one after another.
protocol ColumnWriter {
  mutating func integer(_ value: Int64?)
  mutating func text(_ value: String?)
  /// A column of several texts, which `fill` adds with ``FieldList/append(_:to:)``.
  mutating func list(_ fill: (inout [UInt8]) -> Void)
}

/// Gives a row's values one after another; nothing that it gave may be believed before ``finish()`` has returned.
protocol ColumnReader {
  mutating func integer() throws(DamagedRow) -> Int64
  mutating func optionalInteger() throws(DamagedRow) -> Int64?
  mutating func text() throws(DamagedRow) -> String
  mutating func optionalText() throws(DamagedRow) -> String?
  /// The parts of a list that ``FieldList`` wrote.
  mutating func list() throws(DamagedRow) -> [String]
  mutating func optionalList() throws(DamagedRow) -> [String]?
  mutating func blob() throws(DamagedRow) -> [UInt8]
  mutating func finish() throws(DamagedRow)
}

extension ColumnReader {
  mutating func integer() throws(DamagedRow) -> Int64 {
    guard let value = try optionalInteger() else { throw DamagedRow() }
    return value
  }

  mutating func text() throws(DamagedRow) -> String {
    guard let value = try optionalText() else { throw DamagedRow() }
    return value
  }

  mutating func list() throws(DamagedRow) -> [String] {
    guard let parts = try optionalList() else { throw DamagedRow() }
    return parts
  }
}
