import Foundation
import SyncModel
import Testing

@testable import Planning

@Suite struct RecordSealTests {
  private static let key = CacheKey(url: "https://data.example/a", headers: [])
  private static let name = HexDigest(bytes: Array(repeating: 0x0B, count: 32))
  private static let record = CacheRecord(
    url: "https://data.example/a", etag: EntityTag("\"v1\""), size: 3,
    sha256: HexDigest(bytes: Array(repeating: 0xA1, count: 32)), checkedAt: Timestamp(seconds: 1_800_000_000))

  /// A public key with this number; no bytes of it are used here.
  private static func publicKey(_ number: UInt8) throws -> MinisignKey {
    try MinisignKey(
      Base64.encode(
        Array("Ed".utf8) + Array(repeating: number, count: 8) + Array(repeating: number, count: 32)))
  }

  /// As a key that signs with a sum of the bytes.
  private static func sign(_ message: [UInt8]) -> [UInt8] {
    let sum = message.reduce(UInt64(1)) { ($0 &* 31) &+ UInt64($1) }
    return (0..<64).map { UInt8(truncatingIfNeeded: sum >> (UInt64($0) % 8 * 8)) }
  }

  private static func signed(_ record: CacheRecord = record, by number: UInt8 = 1) throws -> [UInt8] {
    let shown = try publicKey(number).shownNumber
    return ActionResult.bytes(
      of: record, at: key, CacheRecord.Signing(name: name, keyNumber: shown) { sign($0) })
  }

  private static func read(
    _ bytes: [UInt8], _ trust: RecordTrust, at key: CacheKey = key, named name: HexDigest = name
  ) -> CacheRecord? {
    trust.record(in: bytes, at: key, named: name) { signature, message, _ in signature == sign(message) }
  }

  @Test func `the signature is of the JSON without it`() throws {
    let json = try #require(ActionResult.json(in: try Self.signed()))
    let text = String(decoding: json, as: UTF8.self)
    let seal = try #require(RecordSeal(json: json))
    #expect(
      text.contains(
        ",\"sig\":{\"ed25519\":\"\(Base64.encode(seal.signature))\",\"key\":\"0101010101010101\"},"))
    let start = try #require(text.range(of: ",\"sig\":{"))
    let end = try #require(text.range(of: "}", range: start.upperBound..<text.endIndex))
    var rest = text
    rest.removeSubrange(start.lowerBound..<end.upperBound)
    #expect(String(decoding: seal.message, as: UTF8.self) == rest)
    #expect(seal.name == Self.name.text && rest.contains("\"name\":\"\(Self.name.text)\""))
  }

  @Test func `who is trusted decides whether a record counts`() throws {
    var signed = Self.record
    signed.isSigned = true
    let (known, other) = (try Self.publicKey(1), try Self.publicKey(2))
    let bytes = try Self.signed()
    #expect(Self.read(bytes, .digest) == nil)
    #expect(Self.read(bytes, .writers) == Self.record)
    #expect(Self.read(bytes, .signed([other, known])) == signed)
    #expect(Self.read(bytes, .signed([other])) == nil)
    #expect(Self.read(bytes, .signed([])) == nil)
    let plain = ActionResult.bytes(of: Self.record, at: Self.key)
    #expect(Self.read(plain, .signed([known])) == nil)
    #expect(Self.read(plain, .writers) == Self.record)
  }

  @Test func `a signed record in another place is none`() throws {
    let keys = RecordTrust.signed([try Self.publicKey(1)])
    let bytes = try Self.signed()
    #expect(Self.read(bytes, keys, at: CacheKey(url: "https://data.example/b", headers: [])) == nil)
    #expect(Self.read(bytes, keys, named: HexDigest(bytes: Array(repeating: 0x0C, count: 32))) == nil)
  }

  @Test func `no change of a signed record counts`() throws {
    let keys = RecordTrust.signed([try Self.publicKey(1)])
    let bytes = try Self.signed()
    let original = try #require(Self.read(bytes, keys))
    for place in bytes.indices {
      for flip in [0x01, 0x20, 0x80] as [UInt8] {
        var damaged = bytes
        damaged[place] ^= flip
        let read = Self.read(damaged, keys)
        #expect(read == nil || read == original)
      }
    }
  }

  @Test func `other orders, blanks and fields are signed as they mean`() throws {
    let canonical = #"{"a":[1.50,null,true,{"b":"c\"d"}],"name":"x","z":{"A":1,"b":2}}"#
    let signature = Base64.encode(Self.sign(Array(canonical.utf8)))
    let written = """
      { "z": {"b": 2, "A": 1}, "sig": {"key": "K", "ed25519": "\(signature)"},
        "name": "x", "a": [1.50, null, true, {"b": "c\\u0022d"}] }
      """
    let seal = try #require(RecordSeal(json: Array(written.utf8)))
    #expect(String(decoding: seal.message, as: UTF8.self) == canonical)
    #expect(seal.signature == Self.sign(seal.message))
  }

  @Test func `only what must be escaped is`() {
    #expect(JSONValue.quoted("") == "\"\"" && JSONValue.quoted("é/") == "\"é/\"")
    #expect(JSONValue.quoted("a\"\\\n\u{1f}é") == "\"a\\\"\\\\\\u000a\\u001fé\"")
  }

  @Test(arguments: [
    #"{"name":"x"}"#, #"{"sig":{"key":"K"},"name":"x"}"#, #"{"sig":"x","name":"x"}"#, "[]", "{", "",
    #"{"sig":{"key":"K","ed25519":"AAAA"},"name":"x"}"#,
  ])
  func `what has no signature has no seal`(json: String) {
    #expect(RecordSeal(json: Array(json.utf8)) == nil)
  }

  @Test func `a key that occurs twice is refused`() {
    let signature = Base64.encode(Array(repeating: 0, count: 64))
    let sealed = #""sig":{"key":"K","ed25519":"\#(signature)"}"#
    #expect(RecordSeal(json: Array("{\(sealed),\"name\":\"x\"}".utf8)) != nil)
    #expect(RecordSeal(json: Array("{\(sealed),\"name\":\"x\",\"name\":\"y\"}".utf8)) == nil)
    #expect(RecordSeal(json: Array("{\(sealed),\(sealed),\"name\":\"x\"}".utf8)) == nil)
  }
}
