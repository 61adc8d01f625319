/// Data of the program's own that are not as they were written.
struct DamagedData: Error {}

/// Reads what a ``BinaryWriter`` wrote, one value after another, and never past the end.
@safe struct BinaryReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset: Int

  /// `bytes` must last as long as the reader.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
    unsafe self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { unsafe offset == bytes.count }

  /// How many bytes there are from here on.
  var left: Int { unsafe bytes.count - offset }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _: Number.Type = Number.self
  ) throws(DamagedData) -> Number {
    let value = try value(at: offset, as: Number.self)
    offset += MemoryLayout<Number>.size
    return Number(littleEndian: value)
  }

  /// So many values of `size` bytes each: where they are.
  mutating func skip(_ count: Int64, times size: Int = 1) throws(DamagedData) -> Range<Int> {
    let (length, overflow) = count.multipliedReportingOverflow(by: Int64(size))
    guard !overflow, count >= 0, length <= left else { throw DamagedData() }
    defer { offset += Int(length) }
    return offset..<offset + Int(length)
  }

  mutating func take(_ count: Int64) throws(DamagedData) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[try skip(count)])
  }

  /// The value at `offset` as it lies in memory, wherever the reader is.
  func value<Value: BitwiseCopyable>(at offset: Int, as type: Value.Type) throws(DamagedData) -> Value {
    guard offset >= 0, unsafe offset <= bytes.count - MemoryLayout<Value>.size else { throw DamagedData() }
    return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type)
  }
}
