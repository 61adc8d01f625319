import Planning
import SyncModel
import Testing

/// The effect of the date in a 304.
extension FetchMachineTests {
  private static let dates = ["Wed, 02 Sep 2020 00:00:00 GMT", "Tue, 01 Sep 2020 00:00:00 GMT", "junk"]

  @Test(arguments: [
    // The request had only a date.
    (FreshnessRule.etag, nil, nil, 0, true), (.etag, nil, nil, 1, false), (.etag, nil, nil, 2, false),
    (.etag, nil, "\"a\"", 0, true), (.etag, nil, "\"a\"", 1, false), (.mtime, nil, nil, 1, false),
    // A tag in the reply decides before any date, except under `mtime`.
    (.etag, "\"a\"", nil, 0, true), (.etag, "\"a\"", nil, 1, false), (.etag, "\"a\"", "\"a\"", 1, true),
    (.etag, "\"a\"", "\"b\"", 0, false),
    (.mtime, "\"a\"", nil, 0, true), (.mtime, "\"a\"", nil, 1, false), (.mtime, "\"a\"", "\"a\"", 1, true),
    (.mtime, "\"a\"", "\"b\"", 0, true), (.mtime, "\"a\"", "\"b\"", 1, false),
  ])
  func `a 304 confirms unless it names another version`(
    rule: FreshnessRule, asked: String?, told: String?, date: Int, confirms: Bool
  ) {
    let conditions = Validators(etag: asked.map { EntityTag($0) }, lastModified: Self.dates[0], url: url)
    var order = order(conditions: conditions)
    order.rule = rule
    var head = head(304, etag: told)
    head.lastModified = Self.dates[date]
    let (_, _, action) = after(head, order)
    if case .finish(.confirmed) = action { #expect(confirms) } else { #expect(!confirms) }
  }

  @Test func `a 304 to a file's own time confirms a version that is not later`() {
    let signature = FileSignature(
      size: 1, modified: Timestamp(seconds: 1_599_004_800), changed: Timestamp(seconds: 0), inode: 1)
    for (date, confirms) in [
      (Self.dates[0], true), (Self.dates[1], true), ("Thu, 03 Sep 2020 00:00:00 GMT", false),
    ] {
      var order = order(conditions: .ownTime(of: signature))
      order.rule = .mtime
      var head = head(304)
      head.lastModified = date
      let (_, _, action) = after(head, order)
      if case .finish(.confirmed) = action {
        #expect(confirms, "\(date)")
      } else {
        #expect(!confirms, "\(date)")
      }
    }
  }
}
