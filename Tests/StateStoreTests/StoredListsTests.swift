import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

/// The pages of a list come back as they were stored, or not at all.
@Suite struct StoredListsTests {
  private let folder: TemporaryFolder
  private let lists: StoredLists
  private let key = String(repeating: "a", count: 32)
  private var list = StoredList(pages: [
    StoredList.Page(
      url: "https://x.org/list?page=1",
      validators: Validators(
        etag: EntityTag("\"1\""), lastModified: "Tue, 24 Nov 2026 10:00:00 GMT", url: "https://y.org/list"),
      body: Array("one".utf8), next: "https://x.org/list?page=2"),
    StoredList.Page(
      url: "https://x.org/list?page=2", validators: Validators(url: "https://x.org/list?page=2"), body: []),
  ])

  init() throws {
    folder = try TemporaryFolder()
    lists = StoredLists(stateFolder: folder.path)
    list.pages[0].further = ["https://x.org/a", "https://x.org/b"]
    list.pages[1].further = []
  }

  @Test func `a list comes back as it was`() {
    #expect(lists.read(key) == nil)
    lists.write(list, as: key)
    #expect(lists.read(key) == list)
  }

  @Test func `its sum is that of all that its entries are made of, and of nothing else`() {
    let key = ByteSum.Key(words: (3, 4))
    let sum = list.sum(key)
    var same = list
    same.pages[0].validators.etag = nil
    same.pages[0].validators.lastModified = nil
    same.pages[0].further = nil
    #expect(same.sum(key) == sum)
    #expect(same.pages[0].saysTheSame(as: list.pages[0]))
    let changes: [(inout StoredList) -> Void] = [
      { $0.pages[0].body[0] ^= 1 }, { $0.pages[0].url += "x" },
      { $0.pages[0].validators.origin = .resource("https://x.example") },
      { $0.pages[0].next = nil }, { $0.pages.removeLast() }, { $0.pages.swapAt(0, 1) },
      { ($0.pages[0].body, $0.pages[1].body) = (Array("on".utf8), Array("e".utf8)) },
    ]
    for (number, change) in changes.enumerated() {
      var other = list
      change(&other)
      #expect(other.sum(key) != sum, "\(number)")
      if number < 4 { #expect(!other.pages[0].saysTheSame(as: list.pages[0]), "\(number)") }
    }
  }

  @Test func `what signs a URL is not stored`() {
    let page = StoredList.Page(
      url: "https://x.org/a?X-Amz-Signature=abc&b=1", validators: Validators(url: "https://x.org/a"), body: []
    )
    #expect(page.url == "https://x.org/a?b=1")
  }

  @Test func `a file that is not as it was written counts as missing`() throws {
    lists.write(list, as: key)
    let bytes = try #require(folder.read("lists/\(key)"))
    for place in stride(from: 0, to: bytes.count, by: 7) {
      var damaged = bytes
      damaged[place] ^= 1
      try folder.write(damaged, to: "lists/\(key)")
      #expect(lists.read(key) == nil, "byte \(place)")
      try folder.write(Array(bytes[..<place]), to: "lists/\(key)")
      #expect(lists.read(key) == nil, "cut at \(place)")
    }
  }

  @Test func `what cannot be written is left out`() throws {
    try folder.write("a file", to: "lists")
    lists.write(list, as: key)
    #expect(lists.read(key) == nil)
    #expect(folder.text("lists") == "a file")
  }
}
