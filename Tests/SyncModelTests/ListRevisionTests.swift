import SyncModel
import Testing

/// A revision is recorded as text, and comes back from it.
@Suite struct ListRevisionTests {
  private var full: ListRevision {
    get throws {
      var revision = ListRevision()
      revision.digests = [
        ListedDigest(.md5, try #require(HexDigest("d41d8cd98f00b204e9800998ecf8427e", .md5)))
      ]
      revision.entityTag = "abc-2"
      revision.version = "1.2\n\\n~rc 1"
      revision.versionOrigin = "csv The\nversion"
      revision.updated = Timestamp(nanoseconds: 1_795_000_000_123_456_789)
      revision.size = 0
      return revision
    }
  }

  @Test func `all parts come back`() throws {
    let revision = try full
    #expect(ListRevision(text: revision.text) == revision)
    #expect(revision.text.utf8.count { $0 == UInt8(ascii: "\n") } == 5, "one line for each part")
  }

  @Test func `a list that gives only names has no text`() {
    #expect(ListRevision().text == "")
    #expect(ListRevision(text: "") == ListRevision())
  }

  @Test func `what is not known, or damaged, is left out`() {
    #expect(ListRevision(text: "colour red\nsize x\nmd5 00\nversion 2").version == "2")
    #expect(ListRevision(text: "colour red\nsize x\nmd5 00\nversion 2").digests == [])
  }

  @Test func `what a list ceases to state is kept`() throws {
    let full = try full
    #expect(ListRevision().completed(by: full) == full)
    #expect(full.completed(by: ListRevision()) == full)
    var now = ListRevision()
    (now.version, now.size) = ("2", 7)
    now.digests = [ListedDigest(.md5, try #require(HexDigest("e41d8cd98f00b204e9800998ecf8427e", .md5)))]
    var both = full
    (both.version, both.versionOrigin, both.size, both.digests) = ("2", nil, 7, now.digests)
    #expect(now.completed(by: full) == both)
  }

  @Test func `people see the part that decided`() throws {
    let revision = try full
    #expect(revision.text(of: .entityTag) == "abc-2")
    #expect(revision.text(of: .digest(.md5)) == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(revision.text(of: .digest(.sha256)) == nil)
    #expect(revision.text(of: .size) == "0")
  }
}
