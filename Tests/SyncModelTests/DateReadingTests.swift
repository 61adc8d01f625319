import SyncModel
import Testing

@Suite struct `A date of a list` {
  /// 2026-11-21T10:00:00Z.
  private static let moment: Int64 = 1_795_255_200

  @Test(arguments: [
    ("2026-11-21T10:00:00Z", moment, 0), ("2026-11-21t10:00:00z", moment, 0),
    ("2026-11-21 10:00:00", moment, 0),
    ("2026-11-21T11:30:00+01:30", moment, 0), ("2026-11-21T02:00:00-0800", moment, 0),
    ("2026-11-21T11:00+01", moment, 0),
    ("2026-11-21T10:00:00.25Z", moment, 250_000_000),
    ("2026-11-21T10:00:00,123456789123Z", moment, 123_456_789),
    ("2026-11-21T10:00Z", moment, 0), ("2026-11-22T00:00:00+14:00", moment, 0),
    ("2026-11-21T09:59:60Z", moment, 0),
    ("1969-12-31T23:59:59.5Z", -1, 500_000_000), ("2024-02-29T00:00:00Z", 1_709_164_800, 0),
  ])
  func `may have the form of RFC 3339`(text: String, seconds: Int64, nanoseconds: Int64) {
    #expect(Timestamp(rfc3339: text) == Timestamp(nanoseconds: seconds * 1_000_000_000 + nanoseconds))
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-11-21T", "2026-11-21T10", "2026-11-21T10:00:", "2026-11-21T10:00:00.Z",
    "2026-13-21T10:00Z",
    "2026-02-29T10:00Z", "2026-11-21T24:00Z", "2026-11-21T10:60Z", "2026-11-21T10:00:61Z",
    "2026-11-21T10:00:00Zx",
    "2026-11-21T10:00:00+24:00", "2026-11-21T10:00:00+1", "2026-11-21T10:00:00+01:", "26-11-21T10:00:00Z",
    "2026-1-21T10:00:00Z", "2026-11-21T10:00:00 UTC", "+026-11-21T10:00Z",
  ])
  func `of another form is none`(text: String) { #expect(Timestamp(rfc3339: text) == nil) }

  @Test(arguments: [
    ("0000-01-01T00:00:00Z", Int64.min), ("0001-01-01T00:00:00Z", .min), ("1677-01-01T00:00:00Z", .min),
    ("2262-01-01T00:00:00Z", 9_214_646_400_000_000_000), ("2262-04-11T23:47:16.9Z", .max),
    ("9999-12-31T23:59:59Z", .max),
  ])
  func `is clamped to what a timestamp can be`(text: String, nanoseconds: Int64) {
    let moment = Timestamp(nanoseconds: nanoseconds)
    #expect(Timestamp(rfc3339: text) == moment)
    #expect(Timestamp(rfc3339: moment.exactRFC3339) == moment)
  }

  @Test func `may be a day alone`() {
    #expect(Timestamp.isDate("2026-11-21"))
    for text in ["2026-11-31", "2026-11-2", "2026/11/21", "2026-11-21 ", ""] {
      #expect(!Timestamp.isDate(text))
    }
  }

  @Test(arguments: [
    "Sat, 21 Nov 2026 10:00:00 GMT", "Sat, 21 Nov 2026 11:00:00 +0100", "21 Nov 2026 10:00 UT",
    "Sat, 21 Nov 26 05:00:00 EST",
    "Sat,21 Nov 2026 03:00:00 PDT", "  Sat,  21  Nov 2026\n 10:00:00 z", "Sat, 21 Nov 2026 02:30 -0730",
    "Fri, 21 Nov 2026 10:00:00 UTC",
  ])
  func `may have the form of mail`(text: String) {
    #expect(MailDate.parse(text) == Timestamp(seconds: Self.moment))
  }

  @Test func `of mail may have a year of two digits`() {
    #expect(MailDate.parse("1 Jan 70 00:00:00 GMT") == Timestamp(seconds: 0))
    #expect(MailDate.parse("1 Jan 49 00:00:00 GMT") == Timestamp(rfc3339: "2049-01-01T00:00:00Z"))
  }

  @Test(arguments: [
    "", "Sat", "yesterday", "Sat, 21 Nov 2026", "Sat, 21 Nov 2026 10:00:00", "Sat, 32 Nov 2026 10:00:00 GMT",
    "Sat, 21 Nox 2026 10:00:00 GMT", "Sat, 21 Nov 2026 10:00:00 MEZ", "Sat, 21 Nov 2026 10:00:00 +01:00",
    "Sat, 21 Nov 2026 10:00:00 +2500", "Sat, 21 Nov 2026 10:00:00 +0160", "Sat, 21 Nov 2026 10 GMT",
    "Sat, 21 Nov 2026 10:00:00 GMT x", "Sat, 31 Apr 2026 10:00:00 GMT", "Sat, 21 Nov 2026 25:00:00 GMT",
  ])
  func `of mail may be none`(text: String) { #expect(MailDate.parse(text) == nil) }
}
