import SyncModel
import Testing

@testable import Planning

@Suite struct CacheRecordTests {
  private static let digest = HexDigest(bytes: Array(repeating: 0xA1, count: 32))
  private static let key = CacheKey(url: "https://data.example/a", headers: [])
  private static let checked = Timestamp(nanoseconds: 1_800_000_000_000_000_500)

  private func record(
    etag: String? = "\"a\\\u{1f600}\"", size: Int64 = 300, url: String? = "https://data.example/a?b=c"
  ) -> CacheRecord {
    CacheRecord(
      url: url, etag: etag.map { EntityTag($0) }, lastModified: "Sat, 01 Jan 2022 00:00:00 GMT", size: size,
      sha256: Self.digest, checkedAt: Self.checked)
  }

  @Test func `a record is JSON with its keys in order and without blanks`() {
    #expect(
      record(etag: "\"v1\"").json(at: Self.key) == """
        {"checked_at":"2027-01-15T08:00:00.000000500Z","etag":"\\"v1\\"","format":"syncmake.record/1",\
        "last_modified":"Sat, 01 Jan 2022 00:00:00 GMT","sha256":"\(Self.digest.text)","size":300,\
        "sum":"912bf9651e85a281","url":"https://data.example/a?b=c"}
        """)
  }

  @Test(arguments: [Int64(0), 1, 127, 128, 300, 1 << 40, .max]) func `a record survives its message`(
    size: Int64
  ) {
    let record = record(size: size)
    #expect(ActionResult.record(in: ActionResult.bytes(of: record, at: Self.key), at: Self.key) == record)
    let bare = CacheRecord(url: nil, size: size, sha256: Self.digest, checkedAt: Self.checked)
    #expect(ActionResult.record(in: ActionResult.bytes(of: bare, at: Self.key), at: Self.key) == bare)
  }

  @Test func `what signs a URL is in no record`() {
    let signed = record(url: "https://data.example/a?X-Amz-Signature=abc&b=c")
    #expect(signed.url == "https://data.example/a?b=c")
    #expect(!signed.json(at: Self.key).contains("Signature"))
  }

  @Test func `unknown fields of the message are skipped`() {
    let bytes = ActionResult.bytes(of: record(), at: Self.key)
    // Field 4 as a number, 13 as a text, 14 as 8 bytes and 15 as 4.
    let more: [UInt8] =
      [0x20, 0x96, 0x01, 0x6a, 2, 1, 2, 0x71, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4]
    #expect(ActionResult.record(in: more + bytes + more, at: Self.key) == record())
  }

  @Test func `a cut message is no record`() {
    let bytes = ActionResult.bytes(of: record(), at: Self.key)
    let end = bytes.count - 12  // The worker is not read.
    for count in 0..<end { #expect(ActionResult.record(in: Array(bytes[..<count]), at: Self.key) == nil) }
  }

  @Test func `a message that names another file than its record is no record`() {
    var bytes = ActionResult.bytes(of: record(), at: Self.key)
    // The first digit of the digest in `output_files`.
    let place = bytes.firstIndex(of: UInt8(ascii: "a")).map { $0 + 6 } ?? 0
    let digit = bytes.indices.dropFirst(10).first { bytes[$0] == UInt8(ascii: "a") && $0 > 10 } ?? place
    bytes[digit] = UInt8(ascii: "b")
    #expect(ActionResult.record(in: bytes, at: Self.key) == nil)
  }

  @Test func `a record of another key is no record`() {
    let bytes = ActionResult.bytes(of: record(), at: Self.key)
    let other = CacheKey(url: "https://data.example/b", headers: [])
    #expect(ActionResult.record(in: bytes, at: other) == nil)
    #expect(ActionResult.record(in: bytes, at: nil) == record())
  }

  @Test func `no change of one byte makes another record`() {
    let original = record()
    let bytes = ActionResult.bytes(of: original, at: Self.key)
    for place in bytes.indices {
      for flip in [0x01, 0x20, 0x80] as [UInt8] {
        var damaged = bytes
        damaged[place] ^= flip
        guard let read = ActionResult.record(in: damaged, at: Self.key) else { continue }
        #expect(read == original)
      }
    }
  }

  @Test(
    arguments: [
      "", "[]", "{}", "{\"format\":\"syncmake.record/2\"}",
      "{\"checked_at\":\"2027-01-15T08:00:00Z\",\"format\":\"syncmake.record/1\",\"sha256\":\"a1\",\"size\":1}",
    ]) func `other documents are no records`(text: String)
  {
    #expect(CacheRecord(json: Array(text.utf8), at: nil) == nil)
  }

  @Test(arguments: [
    ("\"size\":300", "\"size\":-1"), ("\"size\":300", "\"size\":3e2"),
    ("\"size\":300", "\"size\":300,\"size\":1"),
    ("\"etag\":\"\\\"v1\\\"\"", "\"etag\":\"*\""), ("\"etag\":\"\\\"v1\\\"\"", "\"etag\":\"a\\r\\nb\""),
    ("\"format\"", "\"etag\":\"\\\"v2\\\"\",\"format\""), ("2027-01-15", "2027-13-15"),
  ]) func `a record that cannot be is not read`(change: (String, String)) {
    let text = record(etag: "\"v1\"").json(at: Self.key)
    let parts = text.split(separator: change.0, maxSplits: 1, omittingEmptySubsequences: false)
    #expect(parts.count == 2)
    let changed = parts.joined(separator: change.1)
    #expect(CacheRecord(json: Array(text.utf8), at: nil) != nil)
    #expect(CacheRecord(json: Array(changed.utf8), at: nil) == nil, "\(changed)")
  }
}
