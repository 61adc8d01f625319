import Planning
import SyncModel
import Testing

@Suite struct `A list's revision` {
  private static func md5(_ digit: Character) -> ListedDigest {
    ListedDigest(.md5, HexDigest(hex: String(repeating: digit, count: 32))!)
  }

  private static func sha256(_ digit: Character) -> ListedDigest {
    ListedDigest(.sha256, HexDigest(hex: String(repeating: digit, count: 64))!)
  }

  private static func revision(
    digests: [ListedDigest] = [], tag: String? = nil, version: String? = nil, updated: Int64? = nil,
    size: Int64? = nil
  ) -> ListRevision {
    var revision = ListRevision()
    revision.digests = digests
    revision.entityTag = tag
    revision.version = version
    revision.updated = updated.map { Timestamp(seconds: $0) }
    revision.size = size
    return revision
  }

  private static let rows: [(listed: ListRevision, recorded: ListRevision?, verdict: RevisionVerdict)] = [
    (revision(), revision(), .unknown),
    (revision(version: "1"), nil, .unknown),
    // A file that was replaced in its release.
    (revision(version: "1", size: 5), revision(version: "1", size: 4), .changed(.size)),
    (revision(version: "1", size: 4), revision(version: "1", size: 4), .unchanged(.version)),
    (revision(version: "1", size: 4), revision(version: "1"), .unchanged(.version)),
    (revision(version: "2", size: 5), revision(version: "1", size: 4), .changed(.version)),
    (revision(digests: [md5("a")]), revision(digests: [md5("a")]), .unchanged(.digest(.md5))),
    (revision(digests: [md5("a")]), revision(digests: [md5("b")]), .changed(.digest(.md5))),
    // The digest decides whatever the rest says.
    (
      revision(digests: [md5("a")], version: "2"), revision(digests: [md5("a")], version: "1"),
      .unchanged(.digest(.md5))
    ),
    (
      revision(digests: [md5("a"), sha256("b")]), revision(digests: [md5("a"), sha256("a")]),
      .changed(.digest(.sha256))
    ),
    (
      revision(digests: [md5("a"), sha256("b")]), revision(digests: [md5("a"), sha256("b")]),
      .unchanged(.digest(.sha256))
    ),
    // A digest that appears, or ceases, says nothing.
    (revision(digests: [md5("a")], version: "1"), revision(version: "1"), .unchanged(.version)),
    (revision(version: "1"), revision(digests: [md5("a")], version: "1"), .unchanged(.version)),
    (revision(digests: [md5("a")]), revision(digests: [sha256("a")]), .unknown),
    (revision(tag: "a", version: "2"), revision(tag: "a", version: "1"), .unchanged(.entityTag)),
    (revision(tag: "a", version: "1"), revision(tag: "b", version: "1"), .changed(.entityTag)),
    (revision(version: "1.0"), revision(version: "1.00"), .changed(.version)),
    (revision(version: "1", updated: 2), revision(version: "1", updated: 1), .unchanged(.version)),
    (revision(updated: 1, size: 5), revision(updated: 1, size: 5), .unchanged(.updated)),
    (revision(updated: 1, size: 6), revision(updated: 1, size: 5), .changed(.updated)),
    (revision(updated: 2, size: 5), revision(updated: 1, size: 5), .changed(.updated)),
    // Without both sizes the time says nothing.
    (revision(updated: 1), revision(updated: 1), .unknown),
    (revision(updated: 2), revision(updated: 1), .unknown),
    (revision(updated: 1, size: 5), revision(updated: 1), .unknown),
    (revision(updated: 1), revision(updated: 1, size: 5), .unknown),
    (revision(size: 5), revision(size: 5), .unknown),
    (revision(size: 5), revision(size: 6), .changed(.size)),
  ]

  @Test(arguments: rows.indices)
  func `is compared by the best evidence of both sides`(row: Int) {
    let row = Self.rows[row]
    #expect(RevisionRule.verdict(row.listed, recorded: row.recorded) == row.verdict)
  }

  @Test func `is compared with the digests of the download`() {
    let listed = Self.revision(digests: [Self.sha256("a")], version: "2")
    func verdict(_ digit: Character) -> RevisionVerdict {
      RevisionRule.verdict(listed, recorded: Self.revision(version: "1"), download: [Self.sha256(digit)])
    }
    #expect(verdict("a") == .unchanged(.digest(.sha256)))
    #expect(verdict("b") == .changed(.digest(.sha256)))
    #expect(
      RevisionRule.verdict(listed, recorded: nil, download: [Self.sha256("a")])
        == .unchanged(.digest(.sha256)))
  }

  @Test func `is what the entry says`() {
    var entry = ListEntry(key: "a", name: "a", url: "https://example.org/a")
    entry.version = "1"
    entry.size = 5
    #expect(ListRevision(entry) == Self.revision(version: "1", size: 5))
  }
}
