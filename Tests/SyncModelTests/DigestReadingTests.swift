import Testing

@testable import SyncModel

/// The digests that are read from header fields.
@Suite struct DigestReadingTests {
  // Of "hello\n".
  static let md5 = "b1946ac92492d2347c6235b4d2611184"
  static let sha1 = "f572d396fae9206628714fb2ce00f72e94f2258f"
  static let sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
  static let sha512 =
    "e7c22b994c59d9cf2b48e549b1e24666636045930d3da7c1acb299d1c3b7f931"
    + "f94aae41edda2c2b207a36e10f8bcb8d45223e54878f5b316e7ce3b6bc019629"
  static let md5Base64 = "sZRqySSS0jR8YjW00mERhA=="
  static let sha1Base64 = "9XLTlvrpIGYocU+yzgD3LpTyJY8="
  static let sha256Base64 = "WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM="
  static let sha512Base64 =
    "58IrmUxZ2c8rSOVJseJGZmNgRZMNPafBrLKZ0cO3+TH5Sq5B7dosKyB6NuEPi8uNRSI+VIePWzFufOO2vAGWKQ=="

  struct Row: Sendable, CustomTestStringConvertible {
    var name: DigestField.Name
    var value: String
    /// `ALGORITHM HEX` of each digest.
    var digests: [String]
    /// Why items are ignored, in order.
    var ignored: [IgnoredDigest.Reason] = []
    var testDescription: String { "\(name.rawValue): \(value)" }
  }

  static let structured: [Row] = [
    Row(name: .representation, value: "sha-256=:\(sha256Base64):", digests: ["sha256 \(sha256)"]),
    Row(name: .content, value: "sha-512=:\(sha512Base64):", digests: ["sha512 \(sha512)"]),
    Row(
      name: .representation, value: "sha-256=:\(sha256Base64):,  md5=:\(md5Base64):",
      digests: ["sha256 \(sha256)", "md5 \(md5)"]),
    Row(name: .representation, value: "sha=:\(sha1Base64):;q=1", digests: ["sha1 \(sha1)"]),
    // Padding may be missing (RFC 8941, section 4.2.7).
    Row(name: .representation, value: "md5=:\(md5Base64.dropLast(2)):", digests: ["md5 \(md5)"]),
    Row(
      name: .representation, value: "crc32c=:NVApHA==:, sha-256=:\(sha256Base64):",
      digests: ["sha256 \(sha256)"], ignored: [.unknownAlgorithm]),
    // The last of two members with one key counts.
    Row(
      name: .representation, value: "md5=:AAAA:, md5=:\(md5Base64):", digests: ["md5 \(md5)"]),
    // Members of other types are skipped.
    Row(
      name: .representation,
      value: #"a=1, b, c="x\"y", d=(1 2;z tok), e=?0, f=tok/en:x, sha-256=:\#(sha256Base64):"#,
      digests: ["sha256 \(sha256)"], ignored: Array(repeating: .unknownAlgorithm, count: 6)),
    Row(name: .representation, value: "sha-256=\(sha256Base64)", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "sha-256=\"\(sha256)\"", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "sha-256", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "sha-256=:\(sha256Base64)", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "sha-256=:not base64!:", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "sha-256=:\(sha1Base64):", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "sha-256=:\(sha256Base64):,", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "SHA-256=:\(sha256Base64):", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "sha-256=:\(sha256Base64): x", digests: [], ignored: [.malformed]),
    Row(name: .representation, value: "", digests: [], ignored: [.malformed]),
    Row(name: .content, value: "\u{FFFD}", digests: [], ignored: [.malformed]),
  ]

  static let lists: [Row] = [
    Row(name: .digest, value: "SHA-256=\(sha256Base64)", digests: ["sha256 \(sha256)"]),
    Row(
      name: .digest, value: "sha=\(sha1Base64) , MD5=\(md5Base64)", digests: ["sha1 \(sha1)", "md5 \(md5)"]),
    Row(name: .digest, value: "sha-512=\(sha512Base64)", digests: ["sha512 \(sha512)"]),
    Row(
      name: .digest, value: "UNIXsum=30637,SHA-256=\(sha256Base64)", digests: ["sha256 \(sha256)"],
      ignored: [.unknownAlgorithm]),
    Row(name: .digest, value: "SHA-256=\(sha256)", digests: [], ignored: [.malformed]),
    Row(name: .digest, value: "SHA-256", digests: [], ignored: [.malformed]),
    Row(name: .digest, value: "", digests: [], ignored: [.malformed]),
    Row(
      name: .googleHash, value: "crc32c=NVApHA==,md5=\(md5Base64)", digests: ["md5 \(md5)"],
      ignored: [.unknownAlgorithm]),
    Row(name: .googleHash, value: "md5=\(md5Base64)", digests: ["md5 \(md5)"]),
  ]

  static let single: [Row] = [
    Row(name: .contentMD5, value: md5Base64, digests: ["md5 \(md5)"]),
    Row(name: .contentMD5, value: md5, digests: [], ignored: [.malformed]),
    Row(name: .contentMD5, value: sha1Base64, digests: [], ignored: [.malformed]),
    Row(name: .contentMD5, value: "sZRqySSS0jR8YjW00mERhA=", digests: [], ignored: [.malformed]),
    Row(name: .checksumSHA256, value: sha256, digests: ["sha256 \(sha256)"]),
    Row(name: .checksumSHA256, value: " \(sha256.uppercased()) ", digests: ["sha256 \(sha256)"]),
    Row(name: .checksumSHA256, value: sha1, digests: [], ignored: [.malformed]),
    Row(name: .checksumSHA1, value: sha1, digests: ["sha1 \(sha1)"]),
    Row(name: .checksumMD5, value: md5, digests: ["md5 \(md5)"]),
    Row(name: .checksumMD5, value: md5Base64, digests: [], ignored: [.malformed]),
    Row(name: .amazonSHA256, value: sha256Base64, digests: ["sha256 \(sha256)"]),
    Row(name: .amazonSHA256, value: "\(sha256Base64)-3", digests: [], ignored: [.notOfFile]),
    Row(name: .amazonSHA256, value: sha256, digests: [], ignored: [.malformed]),
    Row(name: .linkedETag, value: "\"\(sha256)\"", digests: ["sha256 \(sha256)"]),
    Row(name: .linkedETag, value: sha256, digests: ["sha256 \(sha256)"]),
    // The git digest of a small file.
    Row(name: .linkedETag, value: "\"\(sha1)\"", digests: [], ignored: [.malformed]),
    Row(name: .linkedETag, value: "W/\"\(sha256)\"", digests: [], ignored: [.malformed]),
    Row(name: .amazonType, value: "COMPOSITE", digests: []),
    Row(name: .googleStoredEncoding, value: "gzip", digests: []),
  ]

  @Test(
    "digests are read, and what is none is ignored with its reason", arguments: structured + lists + single)
  func reads(_ row: Row) {
    let reading = DigestReading(row.name, row.value)
    #expect(reading.digests.map { "\($0.algorithm.rawValue) \($0.digest)" } == row.digests)
    #expect(reading.ignored.map(\.reason) == row.ignored)
    #expect(reading.digests.allSatisfy { $0.field == row.name })
  }

  @Test func `an ignored item is named`() {
    let reading = DigestReading(.representation, "crc32c=:NVApHA==:;a=1, md5=tok")
    #expect(reading.ignored.map(\.value) == ["crc32c=:NVApHA==:;a=1", "md5=tok"])
  }

  @Test func `no text crashes the reader`() {
    var random = SplitRandom(state: 9)
    let alphabet = Array("sha-256md5=:,;()\"\\ \t?0A/+*\u{FFFD}".unicodeScalars)
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
      }
      for name in DigestField.Name.allCases {
        for digest in DigestReading(name, text).digests {
          #expect(digest.digest.text.utf8.count == digest.algorithm.hexCount)
        }
      }
    }
  }

  @Test(arguments: 0..<67) func `base64 is decoded to the original bytes`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 83 &+ count) }
    let text = Base64.encode(bytes)
    #expect(Base64.decode(text.utf8) == bytes)
    #expect(Base64.decode(unpadded: text.utf8.filter { $0 != UInt8(ascii: "=") }) == bytes)
  }

  @Test(arguments: ["A", "AAAAA", "AA=", "AA===", "A=AA", "AA==AA==", "AA AA", "AA-_", "===="])
  func `invalid base64 is refused`(text: String) { #expect(Base64.decode(text.utf8) == nil) }
}

/// The same numbers each time.
private struct SplitRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
