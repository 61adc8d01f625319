/// Bytes with little-endian words of eight bytes among them, as the files of this folder are made of.
struct BinaryWriter {
  var bytes: [UInt8] = []

  mutating func add(_ word: UInt64) {
    unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func set(_ word: UInt64, at offset: Int) {
    unsafe withUnsafeBytes(of: word.littleEndian) { source in
      unsafe bytes.withUnsafeMutableBytes { target in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + 8]).copyMemory(from: source)
      }
    }
  }

  /// The word at `offset` of bytes that were made so.
  static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    unsafe bytes.withUnsafeBytes {
      unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
