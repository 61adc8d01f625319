import SyncModel
import SyncTestSupport
import Testing

@testable import StateStore

/// The pages of a list come back as they were stored, or not at all.
@Suite struct StoredListsTests {
  private let folder: TemporaryFolder
  private let lists: StoredLists
  private let key = String(repeating: "a", count: 32)
  private let list = StoredList(pages: [
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
  }

  @Test func `a list comes back as it was`() {
    #expect(lists.read(key) == nil)
    lists.write(list, as: key)
    #expect(lists.read(key) == list)
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
