import SyncModel

/// The records of a group of outputs that are about to be put in place, as one value of the state file.
///
/// They are written before every group and removed after it. Row for row, that took as long as the records themselves.
enum IntentionList {
  /// In bytes: a longer one is better two.
  static let enough = 4 << 20

  /// Appends a record to `list`.
  static func append(_ record: TargetRecord, to list: inout [UInt8]) {
    var row = Writer(bytes: [])
    swap(&row.bytes, &list)
    RecordRow.write(record, to: &row)
    swap(&row.bytes, &list)
  }

  /// The records in their order; throws if `list` is not valid.
  static func records(in list: UnsafeRawBufferPointer) throws(DamagedRow) -> [TargetRecord] {
    var reader = unsafe Reader(bytes: list)
    var records: [TargetRecord] = []
    while !reader.isAtEnd { records.append(try RecordRow.read(&reader)) }
    return records
  }

  /// Its values one after another, without columns; throws if `list` is not valid.
  static func values(in list: UnsafeRawBufferPointer) throws(DamagedRow) -> [StoredValue] {
    var reader = unsafe Reader(bytes: list)
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

  private struct Writer: ColumnWriter {
    var bytes: [UInt8]

    mutating func integer(_ value: Int64?) {
      guard let value else { return bytes.append(Mark.null) }
      bytes.append(Mark.integer)
      unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func text(_ value: String?) {
      guard let value else { return bytes.append(Mark.null) }
      bytes.append(Mark.text)
      unsafe value.withBytes { text in
        unsafe withUnsafeBytes(of: UInt32(text.count).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe bytes.append(contentsOf: text)
      }
    }

    mutating func list(_ fill: (inout [UInt8]) -> Void) {
      bytes.append(Mark.text)
      let place = bytes.count
      bytes.append(contentsOf: [0, 0, 0, 0])
      fill(&bytes)
      unsafe withUnsafeBytes(of: UInt32(bytes.count - place - 4).littleEndian) { length in
        for index in length.indices { bytes[place + index] = unsafe length[index] }
      }
    }
  }

  @safe private struct Reader: ColumnReader {
    let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    var isAtEnd: Bool { unsafe offset == bytes.count }

    mutating func optionalInteger() throws(DamagedRow) -> Int64? {
      guard try next(Mark.integer) else { return nil }
      return Int64(littleEndian: try value())
    }

    mutating func optionalText() throws(DamagedRow) -> String? {
      guard try next(Mark.text) else { return nil }
      return unsafe String(repairing: try text())
    }

    mutating func optionalList<Value>(
      _ read: (UnsafeRawBufferPointer) -> Value?
    ) throws(DamagedRow) -> Value? {
      guard try next(Mark.text) else { return nil }
      guard let value = unsafe read(try text()) else { throw DamagedRow() }
      return value
    }

    /// No list has such a value.
    mutating func blob() throws(DamagedRow) -> [UInt8] { throw DamagedRow() }

    mutating func any() throws(DamagedRow) -> StoredValue {
      let mark: UInt8 = try value()
      switch mark {
      case Mark.null: return .null
      case Mark.integer: return .integer(Int64(littleEndian: try value()))
      case Mark.text: return unsafe .text(String(repairing: try text()))
      default: throw DamagedRow()
      }
    }

    // The sum of the whole was checked before.
    mutating func finish() throws(DamagedRow) {}

    private mutating func next(_ mark: UInt8) throws(DamagedRow) -> Bool {
      let found: UInt8 = try value()
      guard found == mark || found == Mark.null else { throw DamagedRow() }
      return found == mark
    }

    private mutating func text() throws(DamagedRow) -> UnsafeRawBufferPointer {
      let length = Int(UInt32(littleEndian: try value()))
      guard unsafe length <= bytes.count - offset else { throw DamagedRow() }
      defer { offset += length }
      return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }

    private mutating func value<Value: FixedWidthInteger & BitwiseCopyable>() throws(DamagedRow) -> Value {
      let size = MemoryLayout<Value>.size
      guard unsafe size <= bytes.count - offset else { throw DamagedRow() }
      defer { offset += size }
      return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }
  }
}
