import Testing

@testable import SyncModel

@Suite struct ByteSumTests {
  private let key = ByteSum.Key(words: (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210))

  private func sum(_ bytes: [UInt8], _ key: ByteSum.Key? = nil) -> ByteSum.Value {
    bytes.withUnsafeBytes { ByteSum.of($0, key ?? self.key) }
  }

  private func text(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) } }

  @Test(arguments: [0, 1, 15, 31, 32, 33, 64, 100, 1000])
  func `a sum does not depend on how the bytes are divided`(count: Int) {
    let bytes = text(count)
    for step in [1, 3, 31, 32, 33, 70] {
      var sum = ByteSum(key)
      for start in stride(from: 0, to: count, by: step) {
        bytes[start..<min(count, start + step)].withUnsafeBytes { sum.update($0) }
      }
      #expect(sum.value == self.sum(bytes), "\(count) bytes by \(step)")
    }
  }

  @Test func `every flipped bit and every other length gives another sum`() {
    let bytes = text(150)
    var seen: Set<[UInt64]> = []
    func note(_ value: ByteSum.Value) -> Bool { seen.insert([value.lanes.0, value.lanes.1]).inserted }
    #expect(note(sum(bytes)))
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        #expect(note(sum(changed)), "bit \(bit) of byte \(index)")
      }
    }
    for count in 0..<bytes.count { #expect(note(sum(Array(bytes.prefix(count)))), "\(count) bytes") }
    #expect(note(sum(bytes + [0])))
  }

  @Test func `each half of a sum depends on all of the bytes`() {
    let bytes = text(64)
    let before = sum(bytes)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(sum(changed).lanes.0 != before.lanes.0)
      #expect(sum(changed).lanes.1 != before.lanes.1)
    }
  }

  @Test func `another key gives another sum`() {
    #expect(sum(text(40)) != sum(text(40), ByteSum.Key(words: (key.words.0 ^ 1, key.words.1))))
    #expect(sum(text(40)) != sum(text(40), ByteSum.Key(words: (key.words.0, key.words.1 ^ 1))))
    #expect(ByteSum.Key.random() != ByteSum.Key.random())
  }
}
