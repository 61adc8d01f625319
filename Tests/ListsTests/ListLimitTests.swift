import SyncModel
import Testing

@testable import Lists

@Suite struct `A list's limits` {
  @Test func `are a million entries`() throws {
    let entries = EntryCollector(try #require(URLBase("https://h/")))
    let entry = ListEntry(key: "a", name: "a", url: "https://h/a")
    for _ in 0..<ListLimits.entries { try entries.add { entry } }
    #expect(try entries.page().entries == [entry])
    #expect(throws: ListFault(.tooManyEntries, entry: ListLimits.entries + 1)) { try entries.add { entry } }
  }

  @Test func `are also the length of all URLs, since a short reference may become a long one`() throws {
    let entries = EntryCollector(try #require(URLBase("https://h/folder/")), roomForURLs: 36)
    #expect(try entries.url("a") == "https://h/folder/a")
    #expect(try entries.url("b") == "https://h/folder/b")
    #expect(throws: ListFault(.malformed("its URLs are too long in all"))) { try entries.url("c") }
    #expect(throws: ListFault(.badURL("b"), entry: 1)) {
      let url = "https://h/" + String(repeating: "a", count: 8190) + "/"
      return try ListReader(format: .sitemap).page(
        Array("<urlset><url><loc>b</loc></url></urlset>".utf8), url: url)
    }
  }

  @Test func `are also the lines and columns of a text`() {
    let lines = [UInt8](repeating: 0x0A, count: 2 * ListLimits.entries + 1)
    #expect(throws: ListFault(.tooManyEntries)) {
      try ListReader(format: .checksums).page(lines, url: "https://h/")
    }
    let columns = [UInt8](repeating: UInt8(ascii: ","), count: 10_000)
    #expect(throws: ListFault(.malformed("there are more than 10000 columns"), line: 1)) {
      try ListReader(format: .csv).page(columns, url: "https://h/")
    }
  }

  /// expat takes a hundred bytes and more for each open element.
  @Test func `are also what XML takes in memory`() {
    let deep = "<urlset>" + String(repeating: "<a>", count: 2_000_000)
    #expect(throws: ListFault(.malformed("out of memory"), line: 1)) {
      try ListReader(format: .sitemap).page(Array(deep.utf8), url: "https://h/")
    }
  }
}

@Suite struct `The pages of a list` {
  private func entry(
    _ key: String, _ url: String = "https://h/a", version: String? = nil, updated: Int64? = nil
  ) -> ListEntry {
    var entry = ListEntry(key: key, name: key, url: url)
    entry.version = version
    entry.updated = updated.map { Timestamp(seconds: $0) }
    return entry
  }

  private func gathered(_ pages: [[ListEntry]]) throws(ListFault) -> [ListEntry] {
    var gathering = ListGathering()
    for page in pages { try gathering.add(ListPage(entries: page)) }
    return gathering.entries
  }

  @Test func `are one list in their order`() throws {
    let (a, b, c) = (entry("a"), entry("b"), entry("c"))
    #expect(try gathered([[b, a], [], [c]]) == [b, a, c])
  }

  @Test func `may repeat an entry as it is`() throws {
    #expect(try gathered([[entry("a"), entry("b")], [entry("a")]]).map(\.key) == ["a", "b"])
  }

  @Test func `may have several versions of one key`() throws {
    let entries = [entry("a", version: "1"), entry("a", version: "2"), entry("a")]
    #expect(try gathered([entries]) == entries)
  }

  @Test func `keep the later one of two entries for a key, where the first one was`() throws {
    let (old, new) = (entry("a", "https://h/old", updated: 1), entry("a", "https://h/new", updated: 2))
    #expect(try gathered([[old, entry("b")], [new]]) == [new, entry("b")])
    #expect(try gathered([[new, entry("b")], [old]]) == [new, entry("b")])
  }

  @Test func `must not have two entries for a key of which none is later`() throws {
    for (first, second) in [(nil, nil), (1, nil), (nil, 1), (1, 1)] as [(Int64?, Int64?)] {
      #expect(throws: ListFault(.repeatedKey("a"))) {
        try gathered([[entry("a", updated: first)], [entry("a", "https://h/b", updated: second)]])
      }
    }
  }

  @Test func `tell accented letters and their parts apart`() throws {
    #expect(try gathered([[entry("\u{E9}"), entry("e\u{301}")]]).count == 2)
  }
}
