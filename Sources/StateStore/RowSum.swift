/// A checksum over the values of a row: SQLite has none, and does not detect a flipped bit inside a page.
///
/// It is 64-bit FNV-1a over eight bytes at a time, with a shift to spread the upper half. Every step is a bijection
/// of the state, so damage to one word of a row is always detected, and other damage with a probability of 1 -
/// 2⁻⁶⁴. It is part of the file format: a change needs a new schema version.
struct RowSum {
  private(set) var value: UInt64

  /// `seed` differs by table, so that a row counts only in the table it was written for.
  init(seed: UInt64) {
    value = 0xcbf2_9ce4_8422_2325
    mix(seed)
  }

  mutating func addNull() { mix(0) }

  mutating func add(_ number: Int64) {
    mix(1)
    mix(UInt64(bitPattern: number))
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    mix(2)
    mix(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      unsafe mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = unsafe rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    mix(rest)
  }

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    value ^= value >> 32
  }
}
