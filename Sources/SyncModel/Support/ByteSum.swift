/// A fast keyed sum over any number of bytes.
///
/// Sixteen bytes at a time are multiplied to 128 bits, whose halves are combined, in two lanes. Two texts have the
/// same sum with a probability of about 2⁻⁶⁴, even if an attacker without the key made one of them from the other.
/// It is not a digest: with the key one can make two texts with the same sum.
package struct ByteSum: Sendable {
  /// The key of a sum; a new one for each stored file.
  package struct Key: Sendable, Equatable {
    /// Its 128 bits.
    package var words: (UInt64, UInt64)

    /// Only for keys that were stored; a new one is ``random()``.
    package init(words: (UInt64, UInt64)) { self.words = words }

    /// From the system's random numbers, so that it cannot be guessed.
    package static func random() -> Key { Key(words: (.random(in: 0 ... .max), .random(in: 0 ... .max))) }

    /// Whether all 128 bits are equal.
    package static func == (a: Key, b: Key) -> Bool { a.words == b.words }
  }

  /// The sum of all bytes, and their number.
  package struct Value: Sendable, Equatable {
    /// How many bytes were summed.
    package var count: Int64
    /// The sum's 128 bits; every byte affects both words.
    package var lanes: (UInt64, UInt64)

    /// Only for sums that were stored.
    package init(count: Int64, lanes: (UInt64, UInt64)) {
      self.count = count
      self.lanes = lanes
    }

    /// Whether both the numbers of bytes and all 128 bits are equal.
    package static func == (a: Value, b: Value) -> Bool { a.count == b.count && a.lanes == b.lanes }
  }

  private static let block = 32
  private let key: Key
  private var lanes: (UInt64, UInt64)
  private var count: Int64 = 0
  /// Bytes that do not fill a block yet.
  private var rest: [UInt8] = []

  /// Of no bytes yet.
  package init(_ key: Key) {
    self.key = key
    lanes = (key.words.0 ^ 0x9E37_79B9_7F4A_7C15, key.words.1 ^ 0xC2B2_AE3D_27D4_EB4F)
  }

  /// The sum of `bytes`; the same as of their pieces, handed to ``update(_:)`` in order.
  package static func of(_ bytes: UnsafeRawBufferPointer, _ key: Key) -> Value {
    let sum = ByteSum(key)
    let whole = bytes.count - bytes.count % block
    let lanes = unsafe sum.mixed(sum.lanes, UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    return unsafe sum.ended(lanes, UnsafeRawBufferPointer(rebasing: bytes[whole...]), Int64(bytes.count))
  }

  /// Takes in the bytes that follow those of the calls before; how they are cut makes no difference.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += Int64(bytes.count)
    var bytes = unsafe bytes
    if !rest.isEmpty {
      let taken = min(Self.block - rest.count, bytes.count)
      unsafe rest += bytes[..<taken]
      unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
      guard rest.count == Self.block else { return }
      lanes = unsafe rest.withUnsafeBytes { unsafe mixed(lanes, $0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count - bytes.count % Self.block
    lanes = unsafe mixed(lanes, UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    unsafe rest += bytes[whole...]
  }

  /// The sum of all bytes so far.
  package var value: Value { unsafe rest.withUnsafeBytes { unsafe ended(lanes, $0, count) } }

  /// The sum of `count` bytes, of which the last `rest`, fewer than a block, are not yet in `lanes`.
  private func ended(_ lanes: (UInt64, UInt64), _ rest: UnsafeRawBufferPointer, _ count: Int64) -> Value {
    var (a, b) = unsafe withUnsafeTemporaryAllocation(byteCount: Self.block, alignment: 8) { last in
      unsafe last.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe last.copyMemory(from: rest)
      return unsafe mixed(lanes, UnsafeRawBufferPointer(last))
    }
    // The number of bytes distinguishes a text from the same one followed by zeros.
    a = Self.folded(a ^ UInt64(bitPattern: count), b ^ key.words.0)
    b = Self.folded(b ^ key.words.1, a ^ 0x9E37_79B9_7F4A_7C15)
    return Value(count: count, lanes: (a, b))
  }

  /// `lanes` after `bytes`, whose number is a multiple of a block's.
  private func mixed(_ lanes: (UInt64, UInt64), _ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
    var (a, b) = lanes
    var offset = 0
    while offset < bytes.count {
      a = unsafe Self.folded(word(bytes, offset) ^ key.words.0, word(bytes, offset + 8) ^ a)
      b = unsafe Self.folded(word(bytes, offset + 16) ^ key.words.1, word(bytes, offset + 24) ^ b)
      offset += Self.block
    }
    return (a, b)
  }

  private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
