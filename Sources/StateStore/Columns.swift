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
  /// What `read` makes of a list's bytes; a damaged row where it makes nothing.
  mutating func optionalList<Value>(
    _ read: (UnsafeRawBufferPointer) -> Value?
  ) throws(DamagedRow) -> Value?
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

  /// The parts of a list that ``FieldList`` wrote.
  mutating func list() throws(DamagedRow) -> [String] { try unsafe list(FieldList.decode) }

  /// What `read` makes of a list's bytes.
  mutating func list<Value>(_ read: (UnsafeRawBufferPointer) -> Value?) throws(DamagedRow) -> Value {
    guard let value = try unsafe optionalList(read) else { throw DamagedRow() }
    return value
  }
}
