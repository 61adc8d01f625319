/// Bytes with little-endian numbers among them, as the files of the state folder are made of.
struct BinaryWriter {
  var bytes: [UInt8] = []

  mutating func add(_ number: some FixedWidthInteger & BitwiseCopyable) { append(number.littleEndian) }

  /// Replaces the number at `offset`, which the bytes must have.
  mutating func set(_ number: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    store(number.littleEndian, at: offset)
  }

  /// Adds a value as it lies in memory.
  mutating func append(_ value: some BitwiseCopyable) {
    unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Replaces the value at `offset`, which the bytes must have.
  mutating func store<Value: BitwiseCopyable>(_ value: Value, at offset: Int) {
    precondition(offset >= 0 && offset <= bytes.count - MemoryLayout<Value>.size)
    unsafe bytes.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }
  }
}
