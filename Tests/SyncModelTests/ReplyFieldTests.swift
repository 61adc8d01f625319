import SyncModel
import Testing

@Suite struct `Content-Range` {
  @Test(arguments: [
    ("bytes 5-9/10", ContentRange(first: 5, last: 9, total: 10)),
    ("bytes 0-0/1", ContentRange(first: 0, last: 0, total: 1)),
    ("Bytes  5-9/* ", ContentRange(first: 5, last: 9, total: nil)),
    (
      "bytes 0-9223372036854775806/9223372036854775807",
      ContentRange(first: 0, last: .max - 1, total: .max)
    ),
  ]) func `a range is read`(text: String, range: ContentRange) {
    #expect(ContentRange(text) == range)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "5-9/10", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes */10", "bytes 5-9/",
    "bytes -9/10", "bytes 5-/10", "bytes +5-9/10", "bytes 5--9/10", "bytes 5 - 9/10", "bytes=5-9/10",
    "lines 5-9/10", "bytes 5-9/10, 11-12/13", "bytes 0-9223372036854775808/*",
    "bytes 0-9/99999999999999999999",
    "bytes ５-９/10", "bytes 5-9/**",
  ]) func `an unusual value is ignored`(text: String) {
    #expect(ContentRange(text) == nil)
  }
}

@Suite struct `Retry-After` {
  /// 2024-02-29 12:00:00 UTC.
  private let now = Timestamp(seconds: 1_709_208_000)

  @Test(arguments: [
    ("0", 0), ("120", 120), (" 7 ", 7), ("007", 7), ("99999999999999999999999", Int64.max),
    ("Thu, 29 Feb 2024 12:02:00 GMT", 120), ("Thursday, 29-Feb-24 12:00:30 GMT", 30),
    ("Thu Feb 29 12:00:05 2024", 5), ("Thu, 29 Feb 2024 11:00:00 GMT", 0),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
  ]) func `seconds and dates are read`(text: String, seconds: Int64) {
    #expect(RetryAfter.seconds(text, now: now) == seconds)
  }

  @Test(
    arguments: [
      ("Thu, 29 Feb 2024 13:00:00 GMT", 5), ("Thu, 29 Feb 2024 13:00:10 GMT", 0), ("nonsense", 3_605),
      (nil, 3_605),
    ] as [(String?, Int64)])
  func `a date is compared with the reply's own`(sentAt: String?, seconds: Int64) {
    let text = "Thu, 29 Feb 2024 13:00:05 GMT"
    #expect(RetryAfter.seconds(text, now: now, sentAt: sentAt) == seconds)
    #expect(RetryAfter.seconds("7", now: now, sentAt: sentAt) == 7)
  }

  @Test(arguments: [
    "", " ", "soon", "-5", "+5", "1.5", "5s", "1e3", "Thu, 31 Foo 2024 12:02:00 GMT", "12:00",
  ])
  func `any other value is ignored`(text: String) {
    #expect(RetryAfter.seconds(text, now: now) == nil)
  }
}
