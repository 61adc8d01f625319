/// Bytes with little-endian words of eight bytes among them, as the files of this folder are made of.
struct Words {
  var bytes: [UInt8] = []

  mutating func add(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func set(_ word: UInt64, at offset: Int) {
    withUnsafeBytes(of: word.littleEndian) { source in
      bytes.withUnsafeMutableBytes { target in
        UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + 8]).copyMemory(from: source)
      }
    }
  }

  /// The word at `offset` of bytes that were made so.
  static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
