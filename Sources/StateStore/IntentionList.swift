import SyncModel

/// The records of a group of outputs that are about to be put in place, as one value of the state file.
///
/// They are written before every group and removed after it. Row for row, that took as long as the records themselves.
enum IntentionList {
  /// In bytes: a longer one is better two.
  static let enough = 4 << 20

  /// Appends a record to `list`.
  static func append(_ record: TargetRecord, to list: inout [UInt8]) {
    var row = Writer()
    swap(&row.out.bytes, &list)
    RecordRow.write(record, to: &row)
    swap(&row.out.bytes, &list)
  }

  /// The records in their order; throws if `list` is not valid.
  static func records(in list: UnsafeRawBufferPointer) throws(DamagedData) -> [TargetRecord] {
    var reader = unsafe Reader(list)
    var records: [TargetRecord] = []
    while !reader.isAtEnd { records.append(try RecordRow.read(&reader)) }
    return records
  }

  /// Its values one after another, without columns; throws if `list` is not valid.
  static func values(in list: UnsafeRawBufferPointer) throws(DamagedData) -> [StoredValue] {
    var reader = unsafe Reader(list)
    var values: [StoredValue] = []
    while !reader.isAtEnd { values.append(try reader.any()) }
    return values
  }

  /// Of the following value; part of the file format.
  private enum Mark {
    static let null: UInt8 = 0
    /// Eight bytes, the least first.
    static let integer: UInt8 = 1
    /// Four bytes with its length, the least first, and so many of UTF-8.
    static let text: UInt8 = 2
  }

  /// Puts values one after another.
  struct Writer: ColumnWriter {
    var out = BinaryWriter()

    mutating func integer(_ value: Int64?) {
      guard let value else { return out.bytes.append(Mark.null) }
      out.bytes.append(Mark.integer)
      out.add(value)
    }

    mutating func text(_ value: String?) {
      guard let value else { return out.bytes.append(Mark.null) }
      out.bytes.append(Mark.text)
      unsafe value.withBytes { text in
        out.add(UInt32(text.count))
        unsafe out.bytes.append(contentsOf: text)
      }
    }

    mutating func list(_ fill: (inout [UInt8]) -> Void) {
      out.bytes.append(Mark.text)
      let place = out.bytes.count
      out.add(UInt32(0))
      fill(&out.bytes)
      out.set(UInt32(out.bytes.count - place - 4), at: place)
    }
  }

  /// Takes them out again.
  struct Reader: ColumnReader {
    private var bytes: BinaryReader

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = unsafe BinaryReader(bytes) }

    var isAtEnd: Bool { bytes.isAtEnd }

    mutating func byte() throws(DamagedData) -> UInt8 { try bytes.number() }

    mutating func optionalInteger() throws(DamagedData) -> Int64? {
      try next(Mark.integer) ? try bytes.number() : nil
    }

    mutating func optionalText() throws(DamagedData) -> String? {
      try next(Mark.text) ? unsafe String(repairing: try text()) : nil
    }

    mutating func optionalList<Value>(
      _ read: (UnsafeRawBufferPointer) -> Value?
    ) throws(DamagedData) -> Value? {
      guard try next(Mark.text) else { return nil }
      guard let value = unsafe read(try text()) else { throw DamagedData() }
      return value
    }

    /// No list has such a value.
    mutating func blob() throws(DamagedData) -> [UInt8] { throw DamagedData() }

    mutating func any() throws(DamagedData) -> StoredValue {
      switch try bytes.number(UInt8.self) {
      case Mark.null: return .null
      case Mark.integer: return .integer(try bytes.number())
      case Mark.text: return unsafe .text(String(repairing: try text()))
      default: throw DamagedData()
      }
    }

    // The sum of the whole was checked before.
    mutating func finish() throws(DamagedData) {}

    private mutating func next(_ mark: UInt8) throws(DamagedData) -> Bool {
      let found = try bytes.number(UInt8.self)
      guard found == mark || found == Mark.null else { throw DamagedData() }
      return found == mark
    }

    private mutating func text() throws(DamagedData) -> UnsafeRawBufferPointer {
      let length = try bytes.number(UInt32.self)
      return unsafe try bytes.take(Int64(length))
    }
  }
}
