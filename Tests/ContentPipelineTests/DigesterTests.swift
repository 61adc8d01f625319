import ContentPipeline
import Foundation
import SyncModel
import SyncTestSupport
import Testing

@Suite struct DigesterTests {
  /// From RFC 1321, FIPS 180 and its examples.
  static let vectors: [(String, DigestAlgorithm, String)] = [
    ("", .md5, "d41d8cd98f00b204e9800998ecf8427e"),
    ("abc", .md5, "900150983cd24fb0d6963f7d28e17f72"),
    ("", .sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", .sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("", .sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", .sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "", .sha512,
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc", .sha512,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ]

  @Test(arguments: vectors) func `known texts have their published digests`(
    text: String, algorithm: DigestAlgorithm, hex: String
  ) {
    var digester = Digester([algorithm])
    for byte in text.utf8 { withUnsafeBytes(of: byte) { digester.update($0) } }
    #expect(digester.value(algorithm)?.text == hex)
    #expect(digester.finish().mapValues(\.text) == [algorithm: hex])
    #expect(Digester.digest(Array(text.utf8), algorithm).text == hex)
  }

  @Test func `only the requested digests are computed`() {
    let digester = Digester([.md5, .sha512])
    #expect(Set(digester.finish().keys) == [.md5, .sha512])
    #expect(digester.value(.sha256) == nil)
  }

  @Test func `a copied digester and its original are independent`() {
    var digester = Digester(Set(DigestAlgorithm.allCases))
    [UInt8]("ab".utf8).withUnsafeBytes { digester.update($0) }
    var copy = digester
    [UInt8]("c".utf8).withUnsafeBytes { copy.update($0) }
    #expect(copy.finish() == identity(Array("abc".utf8), Set(DigestAlgorithm.allCases)).digests)
    #expect(digester.finish() == identity(Array("ab".utf8), Set(DigestAlgorithm.allCases)).digests)
  }

  @Test func `the digests of a file of any size are those of its bytes`() throws {
    let workshop = try Workshop()
    var random = SeededGenerator(seed: 7)
    for size in [0, 1, 256 << 10, (256 << 10) + 1, 1_000_000] {
      let bytes = random.bytes(size)
      try Data(bytes).write(to: URL(fileURLWithPath: workshop.path + "/f"))
      let file = try workshop.root.open(try RelativePath("f"))
      #expect(try ContentDigest.of(file, [.md5]) == identity(bytes, [.md5]))
    }
  }
}
