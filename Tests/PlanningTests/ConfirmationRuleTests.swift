import Planning
import SyncModel
import Testing

/// The meaning of a 200 to a request with validators.
@Suite struct ConfirmationRuleTests {
  private static let monday = "Mon, 13 Nov 2023 00:00:00 GMT"
  private static let tuesday = "Tue, 14 Nov 2023 00:00:00 GMT"

  private static func v(_ etag: String? = nil, _ date: String? = nil, url: String? = "https://x/a")
    -> Validators
  {
    Validators(
      etag: etag.map(EntityTag.init), lastModified: date, origin: url.map { .resource($0) } ?? .ownTime)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var asked: Validators
    var observed: Validators
    var etag: Bool
    var mtime: Bool

    init(_ name: String, _ asked: Validators, _ observed: Validators, etag: Bool, mtime: Bool) {
      testDescription = name
      self.asked = asked
      self.observed = observed
      self.etag = etag
      self.mtime = mtime
    }
  }

  static let rows: [Row] = [
    Row("everything equal", v("\"a\"", monday), v("\"a\"", monday), etag: true, mtime: true),
    Row("same ETag, other date", v("\"a\"", monday), v("\"a\"", tuesday), etag: true, mtime: false),
    Row("other ETag, same date", v("\"a\"", monday), v("\"b\"", monday), etag: false, mtime: true),
    Row("weak beside strong", v("W/\"a\""), v("\"a\""), etag: true, mtime: true),
    Row("weak beside another weak", v("W/\"a\""), v("W/\"b\""), etag: false, mtime: false),
    Row("no ETag any more, same date", v("\"a\"", monday), v(nil, monday), etag: true, mtime: true),
    Row("never an ETag, same date", v(nil, monday), v(nil, monday), etag: true, mtime: true),
    Row("never an ETag, other date", v(nil, monday), v(nil, tuesday), etag: false, mtime: false),
    Row("an earlier date is another one", v(nil, tuesday), v(nil, monday), etag: false, mtime: false),
    Row("an ETag for the first time", v(nil, monday), v("\"a\"", monday), etag: false, mtime: true),
    Row("no date any more", v("\"a\"", monday), v("\"a\""), etag: true, mtime: false),
    Row("a date for the first time", v("\"a\""), v("\"a\"", monday), etag: true, mtime: false),
    Row("no validator any more", v("\"a\"", monday), v(), etag: false, mtime: false),
    Row(
      "the same date in another spelling", v(nil, monday), v(nil, "Monday, 13-Nov-23 00:00:00 GMT"),
      etag: false,
      mtime: false),
    Row(
      "from another URL", v("\"a\"", monday), v("\"a\"", monday, url: "https://y/a"), etag: false,
      mtime: false),
    Row(
      "own time, the very date", v(nil, monday, url: nil), v(nil, monday), etag: true,
      mtime: true),
    Row(
      "own time, an earlier date", v(nil, tuesday, url: nil), v(nil, monday), etag: true,
      mtime: true),
    Row(
      "own time, a later date", v(nil, monday, url: nil), v(nil, tuesday), etag: false,
      mtime: false),
  ]

  @Test(arguments: rows) func `a 200 with the same validator confirms, by each rule's own validator`(row: Row)
  {
    func answer(_ isSame: Bool) -> SourceAnswer { isSame ? .confirmed : .changed(row.observed) }
    #expect(
      ConfirmationRule.answer(rule: .etag, asked: row.asked, observed: row.observed, now: Situation.now)
        == answer(row.etag))
    #expect(
      ConfirmationRule.answer(rule: .mtime, asked: row.asked, observed: row.observed, now: Situation.now)
        == answer(row.mtime))
    let interval = FreshnessRule.interval(period: .seconds(1), then: .mtime)
    #expect(
      ConfirmationRule.answer(rule: interval, asked: row.asked, observed: row.observed, now: Situation.now)
        == answer(row.mtime))
  }

  private func file(_ stamp: String) -> Validators { Validators(fileStamp: stamp, url: "src/a") }

  @Test func `a source file is unchanged if its size and time are`() {
    for rule in [FreshnessRule.etag, .mtime] {
      let asked = file("10-1700000000000000005")
      #expect(
        ConfirmationRule.answer(rule: rule, asked: asked, observed: asked, now: Situation.now) == .confirmed)
      for other in ["11-1700000000000000005", "10-1700000000000000006", "10-1600000000000000000"] {
        #expect(
          ConfirmationRule.answer(rule: rule, asked: asked, observed: file(other), now: Situation.now)
            == .changed(file(other)))
      }
    }
  }

  @Test func `a source file is compared with an output's own time to the nanosecond`() {
    let stamps: [(String, Bool)] = [
      ("10-1600000000000000000", true), ("10-1700000000000000000", true), ("10-1700000000000000001", false),
      ("10-1700000001000000000", false), ("10--5000000000", true), ("10", false), ("10-x", false),
      ("", false),
    ]
    for (stamp, isConfirmed) in stamps {
      let expected: SourceAnswer = isConfirmed ? .confirmed : .changed(file(stamp))
      #expect(
        ConfirmationRule.answer(
          rule: .mtime, asked: Situation.ownTime, observed: file(stamp), now: Situation.now)
          == expected,
        "\(stamp)")
    }
  }

  @Test func `a source file's time is read after its size, also a time before 1970`() {
    #expect(file("10-1700000000000000005").sourceTime == Timestamp(nanoseconds: 1_700_000_000_000_000_005))
    #expect(file("10--5").sourceTime == Timestamp(nanoseconds: -5))
    #expect(file("10").sourceTime == nil)
    #expect(Situation.validators.sourceTime == nil)
  }
}
