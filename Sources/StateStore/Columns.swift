/// Takes a row's values one after another.
protocol ColumnWriter {
  mutating func integer(_ value: Int64?)
  mutating func text(_ value: String?)
  /// A column of several texts, which `fill` adds with ``FieldList/append(_:to:)``.
  mutating func list(_ fill: (inout [UInt8]) -> Void)
}

/// Gives a row's values one after another; nothing that it gave may be believed before ``finish()`` has returned.
protocol ColumnReader {
  mutating func integer() throws(DamagedData) -> Int64
  mutating func optionalInteger() throws(DamagedData) -> Int64?
  mutating func text() throws(DamagedData) -> String
  mutating func optionalText() throws(DamagedData) -> String?
  /// What `read` makes of a list's bytes; a damaged row where it makes nothing.
  mutating func optionalList<Value>(
    _ read: (UnsafeRawBufferPointer) -> Value?
  ) throws(DamagedData) -> Value?
  mutating func blob() throws(DamagedData) -> [UInt8]
  mutating func finish() throws(DamagedData)
}

extension ColumnReader {
  mutating func integer() throws(DamagedData) -> Int64 {
    guard let value = try optionalInteger() else { throw DamagedData() }
    return value
  }

  mutating func text() throws(DamagedData) -> String {
    guard let value = try optionalText() else { throw DamagedData() }
    return value
  }

  /// The parts of a list that ``FieldList`` wrote.
  mutating func list() throws(DamagedData) -> [String] { try unsafe list(FieldList.decode) }

  /// What `read` makes of a list's bytes.
  mutating func list<Value>(_ read: (UnsafeRawBufferPointer) -> Value?) throws(DamagedData) -> Value {
    guard let value = try unsafe optionalList(read) else { throw DamagedData() }
    return value
  }
}
