/// Random numbers that are the same for the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// A generator for one of many cases; neighbouring cases have unrelated numbers.
  package init(seed: UInt64, case number: Int) {
    var mixer = SeededGenerator(seed: seed &* 0x2545_f491_4f6c_dd1d &+ UInt64(number))
    state = mixer.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// `true` once in `count` times.
  package mutating func oneIn(_ count: Int) -> Bool { next() % UInt64(count) == 0 }

  /// A number from 0, less than `limit`; 0 if there is none.
  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(limit, 1))) }

  /// One of `elements`, of which there must be at least one.
  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Bytes that do not compress. They are made eight at a time: tests without optimization want millions of them.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      var offset = 0
      while offset < count {
        bytes.storeBytes(of: next().littleEndian, toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
      filled = count
    }
  }
}
