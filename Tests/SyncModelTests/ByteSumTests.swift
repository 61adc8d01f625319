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
    var seen: Set<UInt64> = []
    func note(_ value: ByteSum.Value) -> Bool { seen.insert(value.hash).inserted }
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

  /// Of the reference implementation's own test: bytes of a generator, and a few texts that are often cited.
  @Test(
    arguments: [
      (0, 0, 0xEF46_DB37_51D8_E999), (0, prime, 0xAC75_FDA2_929B_17EF),
      (1, 0, 0xE934_A84A_DB05_2768), (1, prime, 0x5014_6076_43A9_B4C3),
      (4, 0, 0x9136_A0DC_A574_57EE),
      (14, 0, 0x8282_DCC4_994E_35C8), (14, prime, 0xC3BD_6BF6_3DEB_6DF0),
      (222, 0, 0xB641_AE8C_B691_C174), (222, prime, 0x20CB_8AB7_AE10_C14A),
    ] as [(Int, UInt64, UInt64)])
  func `is XXH64`(count: Int, seed: UInt64, hash: UInt64) {
    var generator = Self.prime
    let bytes = (0..<count).map { _ in
      defer { generator = generator &* 0x9E37_79B1_85EB_CA8D }
      return UInt8(generator >> 56)
    }
    #expect(sum(bytes, ByteSum.Key(words: (seed, 0))).hash == hash)
  }

  private static let prime: UInt64 = 2_654_435_761

  @Test func `is XXH64 of texts`() {
    let unseeded = ByteSum.Key(words: (0, 0))
    #expect(sum(Array("abc".utf8), unseeded).hash == 0x44BC_2CF5_AD77_0999)
    #expect(
      sum(Array("Nobody inspects the spammish repetition".utf8), unseeded).hash == 0xFBCE_A83C_8A37_8BF1)
  }

  @Test func `another key gives another sum`() {
    #expect(sum(text(40)) != sum(text(40), ByteSum.Key(words: (key.words.0 ^ 1, key.words.1))))
    #expect(ByteSum.Key.random() != ByteSum.Key.random())
  }
}
