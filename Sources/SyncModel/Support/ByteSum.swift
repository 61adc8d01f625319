/// XXH64, a published hash for speed, over any number of bytes
/// (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
///
/// It tells a text from a changed or damaged one, with one mistake in 2⁶⁴. It is no defence against a person who can
/// choose both texts (docs/decisions/0006).
package struct ByteSum: Sendable {
  /// The key of a sum; a new one for each stored file.
  package struct Key: Sendable, Equatable {
    /// Its 128 bits, of which the first word is the hash's seed.
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
    /// Their hash.
    package var hash: UInt64

    /// Only for sums that were stored.
    package init(count: Int64, hash: UInt64) {
      self.count = count
      self.hash = hash
    }
  }

  private static let block = 32
  private let seed: UInt64
  private var lanes: Lanes
  private var count: Int64 = 0
  /// Bytes that do not fill a block yet.
  private var rest: [UInt8] = []

  /// Of no bytes yet.
  package init(_ key: Key) {
    seed = key.words.0
    lanes = Lanes(seed)
  }

  /// The sum of `bytes`; the same as of their pieces, handed to ``update(_:)`` in order.
  package static func of(_ bytes: UnsafeRawBufferPointer, _ key: Key) -> Value {
    var lanes = Lanes(key.words.0)
    let whole = bytes.count - bytes.count % block
    unsafe lanes.mix(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    return unsafe lanes.value(
      key.words.0, UnsafeRawBufferPointer(rebasing: bytes[whole...]), Int64(bytes.count))
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
      unsafe rest.withUnsafeBytes { unsafe lanes.mix($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count - bytes.count % Self.block
    unsafe lanes.mix(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    unsafe rest += bytes[whole...]
  }

  /// The sum of all bytes so far.
  package var value: Value { unsafe rest.withUnsafeBytes { unsafe lanes.value(seed, $0, count) } }
}

/// The hash's state: four words, each of which takes in every fourth word of the bytes.
private struct Lanes {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5
  )
  private var words: (UInt64, UInt64, UInt64, UInt64)

  init(_ seed: UInt64) {
    let primes = Self.primes
    words = (seed &+ primes.0 &+ primes.1, seed &+ primes.1, seed, seed &- primes.0)
  }

  /// Takes in bytes whose number is a multiple of a block's.
  mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    guard var place = bytes.baseAddress else { return }
    let end = unsafe place + bytes.count
    var (a, b, c, d) = words
    while unsafe place < end {
      a = unsafe Self.round(a, Self.word(place))
      b = unsafe Self.round(b, Self.word(place + 8))
      c = unsafe Self.round(c, Self.word(place + 16))
      d = unsafe Self.round(d, Self.word(place + 24))
      unsafe place += 32
    }
    words = (a, b, c, d)
  }

  /// The hash of `count` bytes, of which the last `rest`, fewer than a block, are not taken in yet.
  func value(_ seed: UInt64, _ rest: UnsafeRawBufferPointer, _ count: Int64) -> ByteSum.Value {
    let primes = Self.primes
    var hash = count < 32 ? seed &+ primes.4 : merged
    hash &+= UInt64(bitPattern: count)
    var offset = 0
    while offset + 8 <= rest.count {
      let word = unsafe UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      hash ^= Self.round(0, word)
      hash = Self.rotated(hash, 27) &* primes.0 &+ primes.3
      offset += 8
    }
    if offset + 4 <= rest.count {
      let word = unsafe UInt32(
        littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash ^= UInt64(word) &* primes.0
      hash = Self.rotated(hash, 23) &* primes.1 &+ primes.2
      offset += 4
    }
    while offset < rest.count {
      unsafe hash ^= UInt64(rest[offset]) &* primes.4
      hash = Self.rotated(hash, 11) &* primes.0
      offset += 1
    }
    hash = (hash ^ hash >> 33) &* primes.1
    hash = (hash ^ hash >> 29) &* primes.2
    return ByteSum.Value(count: count, hash: hash ^ hash >> 32)
  }

  private var merged: UInt64 {
    var hash = Self.rotated(words.0, 1) &+ Self.rotated(words.1, 7)
    hash = hash &+ Self.rotated(words.2, 12) &+ Self.rotated(words.3, 18)
    for word in [words.0, words.1, words.2, words.3] {
      hash = (hash ^ Self.round(0, word)) &* Self.primes.0 &+ Self.primes.3
    }
    return hash
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* primes.1, 31) &* primes.0
  }

  private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }

  private static func word(_ place: UnsafeRawPointer) -> UInt64 {
    unsafe UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
  }
}
