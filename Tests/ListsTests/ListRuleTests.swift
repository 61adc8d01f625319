import SyncModel
import Testing

@testable import Lists

/// What all readers have in common, and what no shape of the corpus shows.
@Suite struct `A reader of lists` {
  private func read(
    _ format: ListFormat, _ text: String, url: String = "https://lists.example.org/pub/list"
  ) throws(ListFault) -> [ListEntry] {
    try ListReader(format: format).page(Array(text.utf8), url: url).entries
  }

  @Test func `leaves out mirrors by http in a list by https, and those of other protocols`() throws {
    let urls = ["http://h/a", "https://h/a", "ftp://h/a", "b/a", "https://h/a"]
    let feed = "<entry>" + urls.map { "<url>\($0)</url>" }.joined() + "</entry>"
    let entry = try #require(try read(.dash, feed).first)
    #expect([entry.url] + entry.mirrors == ["https://h/a", "https://lists.example.org/pub/b/a"])
    let plain = try #require(try read(.dash, feed, url: "http://lists.example.org/pub/list").first)
    #expect(
      [plain.url] + plain.mirrors == ["http://h/a", "https://h/a", "http://lists.example.org/pub/b/a"])
  }

  @Test func `passes over a byte order mark`() throws {
    let mark = "\u{FEFF}"
    #expect(try read(.csv, mark + "url\na\n").count == 1)
    #expect(try read(.json, mark + "[{\"url\": \"a\"}]").count == 1)
    #expect(try read(.sitemap, mark + "<urlset><url><loc>a</loc></url></urlset>").count == 1)
    #expect(try read(.index, mark + "<html><title>Index of /</title><a href=a></a></html>").count == 1)
    #expect(try read(.checksums, mark + String(repeating: "a", count: 32) + "  a\n").count == 1)
  }

  @Test func `resolves the links of a page against its base`() throws {
    func read(_ base: String) throws -> [String] {
      let page =
        "<html><head><title>Index of /</title>\(base)</head><a href=a>a</a><a href=/pub/b>b</a></html>"
      return try self.read(.index, page).map(\.url)
    }
    let pub = "https://lists.example.org/pub/"
    #expect(try read("") == [pub + "a", pub + "b"])
    #expect(try read("<base href='/'><base href='/pub/'>") == [pub + "b"])
    #expect(try read("<base href='../pub/'>") == [pub + "a", pub + "b"])
    #expect(throws: ListFault(.empty)) { try read("<base target=x><base href='https://else.example.org/'>") }
  }

  @Test func `takes PK for the beginning of a table, not of a zip file`() throws {
    #expect(try read(.csv, "PK,url\n1,a\n").count == 1)
  }

  @Test func `reads XML in another encoding, as the document says`() throws {
    let text = "<?xml version='1.0'?><urlset><url><loc>\u{E4}</loc></url></urlset>"
    let bytes = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let entries = try ListReader(format: .sitemap).page([0xFF, 0xFE] + bytes, url: "https://h/").entries
    #expect(entries.map(\.key) == ["\u{E4}"])
  }

  @Test func `knows the elements of a format by their namespace, whatever their prefix is`() throws {
    let feed = """
      <a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns="http://other/" xmlns:d="http://developer.apple.com/rss/docset_extensions">
      <a:entry><id>no</id><a:id>yes</a:id><x:id xmlns:x="http://x/">other</x:id><a:link href="a"/><link href="b"/>
      <d:version>1</d:version><e:version xmlns:e="http://developer.apple.com/rss/docset_extensions">2</e:version>
      <d:more>m</d:more><d:more>n</d:more><d:empty/><d:deep><d:deeper>x</d:deeper></d:deep></a:entry></a:feed>
      """
    let entry = try #require(try read(.atom, feed).first)
    #expect(entry.key == "yes" && entry.url.hasSuffix("/a") && entry.version == "1")
    #expect(entry.others.map { "\($0.name)=\($0.value)" } == ["x:id=other", "d:more=m", "d:more=n"])
    #expect(entry.field("d:more") == "m")
  }

  @Test func `finds rows and values by pointers with escapes, and in arrays`() throws {
    let fields = ListFields(
      entries: JSONPointer("/a~1b/1/~0"), columns: [("url", "/x/1/u"), ("key", "/k"), ("title", "/x/0")])
    let text =
      "{\"a/b\": [0, {\"~\": [{\"x\": [\"t\", {\"u\": \"v\", \"w\": [1]}], \"k\": 7}]}, 2], \"z\": {\"z\": 1, \"z\": 2}}"
    let entries = try ListReader(format: .json, fields: fields).page(Array(text.utf8), url: "https://h/")
      .entries
    #expect(entries.map(\.key) == ["7"] && entries.map(\.url) == ["https://h/v"] && entries[0].title == "t")
  }

  @Test(
    arguments: [
      (#""next": "https://h/?page=2""#, "https://h/?page=2", nil),
      (#""next": "?page=2""#, "?page=2", nil),
      (#""links": {"next": {"href": "/l?page=2"}}"#, "/l?page=2", nil),
      (#""_links": {"self": {"href": "/l"}, "next": {"href": "/l?page=2"}}"#, "/l?page=2", nil),
      (#""meta": {"next_page": "?page=2"}, "has_more": true"#, "?page=2", nil),
      (#""_links": {"next": {"href": "p2?x=1"}}"#, "p2?x=1", nil),
      (#""next_page_url": "p2""#, "p2", nil),
      (
        #""links": [{"rel": "self", "href": "/l"}, {"rel": "next", "href": "/l?page=2"}]"#,
        "/l?page=2", nil
      ),
      (#""@odata.nextLink": "https://h/l?$skip=9""#, "https://h/l?$skip=9", nil),
      (#""continuationToken": "abc""#, nil, "/continuationToken"),
      (#""nextPageToken": "abc""#, nil, "/nextPageToken"),
      (#""next_cursor": 7"#, nil, "/next_cursor"), (#""meta": {"next_page": 2}"#, nil, "/meta/next_page"),
      (#""paging": {"next_cursor": "abc"}"#, nil, "/paging/next_cursor"),
      (#""has_more": true"#, nil, "/has_more"),
      // What says that this is all, or something else.
      (#""next": null, "links": {"next": null}, "has_more": false, "nextPageToken": """#, nil, nil),
      (#""next": "2027-01-01", "pagination": {"next": 2}, "meta": [{"next": "/a"}]"#, nil, nil),
      (#""next_cursor": 0"#, nil, nil), (#""next_page": 0, "next_cursor": "0""#, nil, nil),
      (#""has_more": false, "next_cursor": "abc""#, nil, nil),
      (#""meta": {}, "meta": {"next_page": 2}"#, nil, nil),
      (#""next": {"href": null}, "links": {"prev": {"href": "/l?page=1"}}, "next_cursor": null"#, nil, nil),
      (#""other": {"next": "https://h/?page=2"}"#, nil, nil),
      (#""has_more": "yes", "next_page": true"#, nil, nil),
    ] as [(String, String?, String?)])
  func `finds what a document says of further pages`(
    _ members: String, _ next: String?, _ token: String?
  ) throws {
    let fields = ListFields(entries: JSONPointer("/rows"))
    let page = try ListReader(format: .json, fields: fields).page(
      Array("{\(members), \"rows\": [{\"url\": \"a\", \"next\": \"/b\"}]}".utf8), url: "https://h/")
    #expect(page.next == next && page.unasked == token && page.further == [])
  }

  @Test func `takes a name that is not UTF-8 with its escapes`() throws {
    let page = "<html><title>Index of /pub/</title><a href='caf%E9%20x'>1</a><a href='caf%C3%A9'>2</a></html>"
    let entries = try read(.index, page)
    #expect(entries.map(\.key) == ["caf%E9%20x", "café"] && entries.map(\.name) == entries.map(\.key))
    #expect(entries[0].url.hasSuffix("/pub/caf%E9%20x"))
  }

  @Test func `takes only what a listing links directly in its folder`() throws {
    let page = """
      <html><head><title>Index of /pub/</title></head><body>
      <A CLASS=x HREF="one%20file.txt">1</A> <a href=two.txt>2</a> <a title='>' href = 'three&#46;txt'>3</a>
      <a href="https://lists.example.org/pub/four.txt">4</a> <a href="/pub/five.txt">5</a> <a href="../pub/six.txt">6</a>
      <a href="https://lists.example.org:444/pub/no">no</a> <a href="sub/no">no</a> <a href="../no">no</a>
      <area href="no"> <link href="no"> <a name="no">no</a>
      </body></html>
      """
    let keys = try read(.index, page).map(\.key)
    #expect(keys == ["one file.txt", "two.txt", "three.txt", "four.txt", "five.txt", "six.txt"])
  }
}
