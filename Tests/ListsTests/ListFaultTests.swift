import SyncModel
import Testing

@testable import Lists

/// Every fault of every reader, and where it is.
@Suite struct `A list's fault` {
  struct Case: Sendable, CustomTestStringConvertible {
    var format: ListFormat
    var text: String
    var fault: ListFault
    var url: String
    var fields = ListFields()

    var testDescription: String { "\(format.rawValue): \(text.prefix(80))" }

    init(
      _ format: ListFormat, _ text: String, _ reason: ListFault.Reason, line: Int? = nil, entry: Int? = nil,
      entries: String? = nil, columns: [(name: String, place: String)] = [],
      url: String = "https://lists.example.org/pub/list"
    ) {
      self.url = url
      self.format = format
      self.text = text
      fault = ListFault(reason, line: line, entry: entry)
      fields = ListFields(entries: entries.flatMap { JSONPointer($0) }, columns: columns)
    }
  }

  private func check(_ test: Case) {
    let reader = ListReader(format: test.format, fields: test.fields)
    #expect(throws: test.fault) { try reader.page(Array(test.text.utf8), url: test.url) }
  }

  private static let html = "an HTML page"
  private static let login = """
    <!DOCTYPE html>
    <html><head><title>Sign in</title></head><body><h1>Sign in</h1>
    <form action="login"><a href="register.html">Register</a></form></body></html>
    """

  @Test(
    arguments: [ListFormat.atom, .rss, .dash, .s3, .sitemap, .metalink].flatMap { format in
      [
        Case(format, login, .otherFormat(found: html)),
        Case(format, "<html><body><br></body></html>", .otherFormat(found: html)),
        Case(format, "<HTML><P>x</HTML>", .otherFormat(found: html)),
        Case(
          format, "<Error><Code>AccessDenied</Code></Error>", .otherFormat(found: "XML with the root Error")),
        Case(format, "{\"message\": \"Not Found\"}", .otherFormat(found: "a JSON document")),
        Case(format, "", .malformed("no element found"), line: 1),
        Case(format, "\n\n", .malformed("no element found"), line: 3),
        Case(format, "moved", .malformed("syntax error"), line: 1),
        Case(format, "<!DOCTYPE feed [<!ENTITY a \"b\">]><feed>&a;</feed>", .hasDoctype),
        Case(format, "<!DOCTYPE rss SYSTEM \"http://h/x.dtd\"><rss/>", .hasDoctype),
      ]
    })
  func `of any XML`(_ test: Case) { check(test) }

  private static func atom(_ inside: String) -> String {
    "<feed xmlns='http://www.w3.org/2005/Atom'>\n\(inside)</feed>"
  }
  private static let link = "<link href='a.zip'/>"

  @Test(arguments: [
    Case(.atom, atom(""), .empty),
    Case(
      .atom, "<feed xmlns='http://purl.org/atom/ns#'><entry/></feed>",
      .otherFormat(found: "XML with the root feed")),
    Case(.atom, "<feed/>", .otherFormat(found: "XML with the root feed")),
    Case(.atom, "<rss version='2.0'><channel/></rss>", .otherFormat(found: "XML with the root rss")),
    Case(.atom, atom("<entry><id>a</id>"), .malformed("mismatched tag"), line: 2),
    Case(
      .atom, "<feed xmlns='http://www.w3.org/2005/Atom'>\n<entry>", .malformed("no element found"), line: 2),
    Case(.atom, atom("<entry>\(link)</entry>"), .lacks("an id"), entry: 1),
    Case(
      .atom, atom("<entry><id>a</id>\(link)</entry><entry><id>b</id></entry>"), .lacks("a link"), entry: 2),
    Case(.atom, atom("<entry><id> </id>\(link)</entry>"), .lacks("an id"), entry: 1),
    Case(.atom, atom("<entry><id>a<b/></id>\(link)</entry>"), .lacks("an id"), entry: 1),
    Case(.atom, atom("<entry><id>a</id><link href='ftp://h/a'/></entry>"), .badURL("ftp://h/a"), entry: 1),
    Case(.atom, atom("<entry><id>a</id><link href='http://h/a'/></entry>"), .badURL("http://h/a"), entry: 1),
    Case(
      .atom, atom("<entry><id>a</id><link href='javascript:x'/></entry>"), .badURL("javascript:x"), entry: 1),
    Case(.atom, atom("<link rel='next' href='http://h/2'/>"), .badPage("http://h/2")),
    Case(.atom, atom("<link rel='next' href='https://u:p@h/2'/>"), .pageHasCredentials),
    Case(.atom, atom("<link rel='next' xml:base='https://u:p@h/' href='2'/>"), .pageHasCredentials),
    Case(
      .atom, atom("<entry><id>a</id>\(link)</entry><entry><id>a</id><link href='b'/></entry>"),
      .repeatedKey("a")),
    Case(
      .atom,
      atom(
        "<entry><id>a</id>\(link)<updated>2026-01-01T00:00:00Z</updated></entry>"
          + "<entry><id>a</id><link href='b'/><updated>2026-01-01T01:00:00+01:00</updated></entry>"),
      .repeatedKey("a")),
  ])
  func `of an Atom feed`(_ test: Case) { check(test) }

  private static func rss(_ inside: String) -> String {
    "<rss version='2.0'><channel>\(inside)</channel></rss>"
  }

  @Test(arguments: [
    Case(.rss, rss(""), .empty),
    Case(.rss, "<rss/>", .empty),
    Case(.rss, "<rss version='3.0'/>", .otherFormat(found: "RSS 3.0")),
    Case(
      .rss, "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
      .otherFormat(found: "XML with the root RDF")),
    Case(.rss, rss("<item><title>x</title></item>"), .lacks("a URL"), entry: 1),
    Case(.rss, rss("<item><guid isPermaLink='false'>x</guid></item>"), .lacks("a URL"), entry: 1),
    Case(.rss, rss("<item><link>https://h/</link></item>"), .lacks("a guid"), entry: 1),
    Case(.rss, rss("<item><guid>tag:x,1:a</guid></item>"), .badURL("tag:x,1:a"), entry: 1),
    Case(
      .rss, rss("<item><guid>a</guid><enclosure url='http://h/a'/></item>"), .badURL("http://h/a"), entry: 1),
  ])
  func `of an RSS feed`(_ test: Case) { check(test) }

  @Test(arguments: [
    Case(.dash, "<entry/>", .lacks("a URL"), entry: 1),
    Case(
      .dash, "<entry><url>http://h/a.tgz</url><url>ftp://h/a.tgz</url></entry>", .badURL("http://h/a.tgz"),
      entry: 1),
    Case(.dash, "<entry><url>https://h/feeds/</url></entry>", .lacks("a file name"), entry: 1),
    Case(
      .dash, "<entry xmlns='http://www.w3.org/2005/Atom'/>", .otherFormat(found: "XML with the root entry")),

    Case(.s3, "<ListBucketResult/>", .empty),
    Case(.s3, "<ListBucketResult><Contents><Key>a/</Key></Contents></ListBucketResult>", .empty),
    Case(
      .s3, "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>", .lacks("a key"),
      entry: 1),
    Case(
      .s3, "<ListBucketResult><Contents><Key>a</Key><Size>1e3</Size></Contents></ListBucketResult>",
      .badField(name: "Size", value: "1e3"), entry: 1),
    Case(
      .s3,
      "<ListBucketResult><Contents><Key>a</Key><LastModified>now</LastModified></Contents></ListBucketResult>",
      .badField(name: "LastModified", value: "now"), entry: 1),
    Case(
      .s3, "<ListBucketResult><Contents><Key>a/../b</Key></Contents></ListBucketResult>", .badURL("a/../b"),
      entry: 1),
    Case(
      .s3,
      "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents></ListBucketResult>",
      .badField(name: "Key", value: "%zz"), entry: 1),
    Case(
      .s3, "<ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>a</NextMarker></ListBucketResult>",
      .lacks("a continuation token")),
    Case(
      .s3,
      "<ListBucketResult><NextContinuationToken>t</NextContinuationToken><Contents><Key>a</Key></Contents>"
        + "</ListBucketResult>", .lacks("IsTruncated")),
    Case(
      .s3, "<ListBucketResult><NextMarker>a</NextMarker><Contents><Key>a</Key></Contents></ListBucketResult>",
      .lacks("IsTruncated")),
    Case(
      .s3, "<ListBucketResult><KeyCount>2</KeyCount><Contents><Key>a</Key></Contents></ListBucketResult>",
      .lacks("IsTruncated")),
    Case(
      .s3,
      "<ListBucketResult><IsTruncated/><MaxKeys>2</MaxKeys><Contents><Key>a</Key></Contents>"
        + "<CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes></ListBucketResult>", .lacks("IsTruncated")),
    Case(
      .s3,
      "<ListBucketResult><Contents><Key>a</Key><Size>1</Size></Contents>"
        + "<Contents><Key>a</Key><Size>2</Size></Contents></ListBucketResult>", .repeatedKey("a")),

    Case(.sitemap, "<urlset/>", .empty),
    Case(.sitemap, "<sitemapindex/>", .empty),
    Case(.sitemap, "<urlset><url><loc>https://h/a/</loc></url></urlset>", .empty),
    Case(.sitemap, "<urlset><url/></urlset>", .lacks("a loc"), entry: 1),
    Case(.sitemap, "<sitemapindex><sitemap/></sitemapindex>", .lacks("a loc")),
    Case(
      .sitemap, "<urlset><url><loc>https://h/%FF</loc></url></urlset>", .badURL("https://h/%FF"), entry: 1),
    Case(
      .sitemap, "<sitemapindex><sitemap><loc>http://h/a</loc></sitemap></sitemapindex>",
      .badPage("http://h/a")),
    Case(
      .sitemap, "<urlset><url><loc>https://h/1/a</loc></url><url><loc>https://h/2/a</loc></url></urlset>",
      .repeatedKey("a")),
    Case(
      .sitemap,
      "<sitemapindex>" + (0...1000).map { "<sitemap><loc>\($0)</loc></sitemap>" }.joined()
        + "</sitemapindex>",
      .tooManyPages),

    Case(.metalink, "<metalink/>", .empty),
    Case(.metalink, "<metalink><file name='a'/></metalink>", .lacks("a URL"), entry: 1),
    Case(.metalink, "<metalink><file><url>https://h/a</url></file></metalink>", .lacks("a name"), entry: 1),
    Case(
      .metalink, "<metalink><file name='a'><url>ftp://h/a</url></file></metalink>", .lacks("a URL"), entry: 1),
    Case(
      .metalink, "<metalink><file name='a'><url>http://h/a</url></file></metalink>", .badURL("http://h/a"),
      entry: 1),
    Case(
      .metalink, "<metalink><file name='a'><url>https://h/a</url><size>big</size></file></metalink>",
      .badField(name: "size", value: "big"), entry: 1),
    Case(
      .metalink,
      "<metalink><file name='a'><url>https://h/a</url><hash type='md5'>aa</hash></file></metalink>",
      .badField(name: "hash", value: "aa"), entry: 1),
  ])
  func `of another kind of XML`(_ test: Case) { check(test) }

  private static let notListing = "an HTML page that is not the listing of a folder"
  private static let page = "https://lists.example.org/pub/list?page=1"
  private static let jsonElse = "JSON that is not the listing of a folder"
  private static func listing(_ inside: String) -> String {
    "<html><head><title>Index of /pub/</title></head><body>\(inside)</body></html>"
  }

  @Test(arguments: [
    Case(.index, login, .otherFormat(found: notListing)),
    Case(.index, "<html><body><a href='a.zip'>Index of /</a></body></html>", .otherFormat(found: notListing)),
    Case(.index, "<h3>Files</h3><a href='a.zip'>a.zip</a>", .otherFormat(found: notListing)),
    Case(.index, "<?xml version='1.0'?><list><file>a</file></list>", .otherFormat(found: "an XML document")),
    Case(
      .index, "<html><title>" + String(repeating: "x<b>", count: 1000) + "Index of /</title></html>",
      .otherFormat(found: notListing)),
    Case(.index, "  ", .malformed("the page is empty")),
    Case(.index, "see below", .otherFormat(found: "a page that is neither HTML nor JSON")),
    Case(.index, listing(""), .empty),
    Case(.index, listing("<a href='../'>up</a><a href='sub/'>sub</a><a href='?C=N'>Name</a>"), .empty),
    Case(
      .index, listing("<a href='/'>root</a><a href='https://h/pub/a'>else</a><a href='/pub2/a'>else</a>"),
      .empty),
    Case(
      .index, listing("<a href='#top'>top</a><a href='list#a'>a</a><a href='mailto:a@h'>a</a><a>a</a>"),
      .empty),
    Case(.index, listing("<a href=''>this page</a><a href='?'>this page</a>"), .empty, url: page),
    Case(.index, listing("<!-- <a href='a'>a</a> --><script>'<a href=b>'</script>"), .empty),
    Case(.index, listing("<textarea><a href='a'>a</a></textarea>"), .empty),
    // A comment without a text hides nothing.
    Case(.index, listing("<!--><a href='a%2Fb'>x</a>-->"), .badURL("a%2Fb"), entry: 1),
    Case(.index, listing("<!---><a href='a%2Fb'>x</a>"), .badURL("a%2Fb"), entry: 1),
    Case(
      .index, "<html><title>Index of /</title><a href='a.zip'>a.zip</a>", .malformed("the page has no end")),
    Case(
      .index, "<html><title>Index of /</title><a href='a.zip'>a</a></html", .malformed("the page has no end")),
    Case(.index, listing("<a href='%F.zip'>x</a>"), .badURL("%F.zip"), entry: 1),
    Case(.index, listing("<a href='%FF%2F.zip'>x</a>"), .badURL("%FF%2F.zip"), entry: 1),
    Case(.index, listing("<a href='%FF%00.zip'>x</a>"), .badURL("%FF%00.zip"), entry: 1),
    Case(.index, listing("<a href='a'>a</a><a href='a%2Fb'>x</a>"), .badURL("a%2Fb"), entry: 2),
    Case(.index, "[]", .empty),
    Case(.index, "{}", .otherFormat(found: jsonElse)),
    Case(.index, "[1]", .otherFormat(found: jsonElse)),
    Case(.index, "[{\"name\": \"a\"}]", .otherFormat(found: jsonElse)),
    Case(.index, "[{\"name\": \"a\", \"type\": \"directory\"}]", .empty),
    Case(.index, "[{\"name\": \"a\", \"type\": \"file\"}", .malformed("this is not JSON"), line: 1),
    Case(.index, "[{\"name\": \"a/b\", \"type\": \"file\"}]", .badURL("a/b"), entry: 1),
    Case(.index, "[{\"name\": \"..\", \"type\": \"file\"}]", .badURL(".."), entry: 1),
    Case(
      .index, "[{\"name\": \"a\", \"type\": \"file\", \"size\": -1}]", .badField(name: "size", value: "-1"),
      entry: 1),
    Case(
      .index, "[{\"name\": \"a\", \"type\": \"file\", \"mtime\": 5}]", .badField(name: "mtime", value: "5"),
      entry: 1),
  ])
  func `of a folder's listing`(_ test: Case) { check(test) }

  private static let a = String(repeating: "a", count: 64)
  private static let b = String(repeating: "b", count: 64)

  @Test(arguments: [
    Case(.checksums, "", .empty),
    Case(.checksums, "\n \n", .empty),
    Case(.checksums, login, .otherFormat(found: html)),
    Case(.checksums, "{\"a\": 1}", .otherFormat(found: "a JSON document")),
    Case(.checksums, "# nothing\n", .empty),
    Case(.checksums, "\(a)\n", .lacks("a name")),
    Case(
      .checksums, "\(a)  a\nsome words here\n", .malformed("the line is not a digest and a name"), line: 2),
    Case(.checksums, "Origin: Debian\n\(a)  a\n", .malformed("the line is not a digest and a name"), line: 1),
    Case(.checksums, "\(a)  a\nSHA256:\n", .malformed("the line is not a digest and a name"), line: 2),
    Case(.checksums, "\(a)  a\nDate: 20261121\n", .malformed("the line is not a digest and a name"), line: 2),
    Case(.checksums, "\(a)  a\n\(b)  a\n", .repeatedKey("a")),
    Case(.checksums, "SHA512 (a) = \(a)\n", .malformed("a digest has 64 digits")),
    Case(.checksums, "SHA384 (a) = \(b)\(b.prefix(32))\n", .notCompared("sha384", of: "a")),
    Case(.checksums, "BLAKE2b (a) = \(b)\(b)\n", .notCompared("blake2b", of: "a")),
    Case(.checksums, "\(b)\(b.prefix(32))  ./a\n", .notCompared("96 digits", of: "a")),
    Case(.checksums, "\(a)  ../a\n", .badURL("../a"), entry: 1),
    Case(.checksums, "\(a)  b\n\(a)  /etc/a\n", .badURL("/etc/a"), entry: 2),
    Case(
      .checksums, "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(a)  a\n",
      .malformed("the frame of the signature is damaged"), line: 5),
    Case(.checksums, "\u{1}\u{2}", .malformed("this is not text")),
  ])
  func `of a list of digests`(_ test: Case) { check(test) }

  private static let noReleases = "JSON that is not a list of releases"
  private static func release(_ assets: String) -> String {
    "[{\"tag_name\": \"v1\", \"draft\": false, \"assets\": [\(assets)]}]"
  }

  @Test(arguments: [
    Case(.github, "[]", .empty),
    Case(.github, release(""), .empty),
    Case(.github, login, .otherFormat(found: html)),
    Case(.github, "{\"message\": \"Not Found\"}", .otherFormat(found: noReleases)),
    Case(.github, "[{\"sha\": \"1\"}]", .otherFormat(found: noReleases)),
    Case(.github, "[1]", .otherFormat(found: noReleases)),
    Case(.github, release("1"), .otherFormat(found: noReleases)),
    Case(.github, "[{\"tag_name\": \"v1\",\n", .malformed("this is not JSON"), line: 2),
    Case(.github, "[] x", .malformed("this is not JSON"), line: 1),
    Case(.github, release("{\"name\": \"a\"}"), .lacks("a URL"), entry: 1),
    Case(.github, release("{\"browser_download_url\": \"https://h/a\"}"), .lacks("a name"), entry: 1),
    Case(
      .github, release("{\"name\": \"a\", \"browser_download_url\": \"https://h/a\", \"name\": \"b\"}"),
      .malformed("the key \"name\" is there twice"), line: 1),
    Case(
      .github, release("{\"name\": \"a\", \"browser_download_url\": \"https://h/a\", \"size\": [1]}"),
      .badField(name: "size", value: "an array")),
    Case(
      .github, release("{\"name\": \"a\", \"browser_download_url\": \"https://h/a\", \"size\": 1.5}"),
      .badField(name: "size", value: "1.5"), entry: 1),
    Case(
      .github,
      release("{\"name\": \"a\", \"browser_download_url\": \"https://h/a\", \"digest\": \"sha256:aa\"}"),
      .badField(name: "digest", value: "aa"), entry: 1),
    Case(
      .github,
      release("{\"name\": \"a\", \"browser_download_url\": \"https://h/a\", \"updated_at\": \"today\"}"),
      .badField(name: "updated_at", value: "today"), entry: 1),
    Case(
      .github, release("{\"name\": \"a\", \"browser_download_url\": \"http://h/a\"}"), .badURL("http://h/a"),
      entry: 1),
    Case(
      .github,
      release(
        "{\"name\": \"a\", \"browser_download_url\": \"https://h/a\"}, {\"name\": \"a\", \"browser_download_url\": \"https://h/b\"}"
      ), .repeatedKey("a")),
  ])
  func `of a list of releases`(_ test: Case) { check(test) }

  @Test(arguments: [
    Case(.json, "{\"files\": []}", .empty, entries: "/files"),
    Case(.json, login, .otherFormat(found: html), entries: "/files"),
    Case(.json, "{\"files\": {}}", .noRows(pointer: "/files"), entries: "/files"),
    Case(.json, "{\"files\": []}", .noRows(pointer: "/a/b"), entries: "/a/b"),
    Case(.json, "{}", .noRows(pointer: "")),
    Case(.json, "[[], 5]", .noRows(pointer: "/1"), entries: "/1"),
    Case(.json, "[[], 5]", .noRows(pointer: "/01"), entries: "/01"),
    Case(.json, "{\"files\": [}", .malformed("this is not JSON"), line: 1, entry: 1, entries: "/files"),
    Case(.json, "{\"files\": [],\n\n\"x\": }", .malformed("this is not JSON"), line: 3, entries: "/files"),
    Case(
      .json, "{\"files\": [],\n\"files\": []}", .malformed("the key \"files\" is there twice"), line: 2,
      entries: "/files"),
    Case(
      .json, "[{\"url\": \"https://h/a\",\n\"url\": \"https://h/b\"}]",
      .malformed("the key \"url\" is there twice"),
      line: 2, entry: 1),
    Case(.json, "[{\"url\": \"https://h/a\"}, {}]", .lacks("a URL"), entry: 2),
    Case(.json, "[5]", .lacks("a URL"), entry: 1),
    Case(.json, "[{\"url\": \"https://h/\"}]", .lacks("a name"), entry: 1),
    Case(.json, "[{\"url\": {\"a\": 1}}]", .badField(name: "url", value: "an object"), entry: 1),
    Case(.json, "[{\"url\": \"a\", \"size\": \"5 kB\"}]", .badField(name: "size", value: "5 kB"), entry: 1),
    Case(
      .json, "[{\"url\": \"a\", \"digest\": \"none\"}]", .badField(name: "digest", value: "none"), entry: 1),
    Case(
      .json, "[{\"url\": \"a\", \"updated\": \"2026-13-01\"}]",
      .badField(name: "updated", value: "2026-13-01"), entry: 1),
    Case(.json, "[{\"url\": \"http://h/a\"}]", .badURL("http://h/a"), entry: 1),
    Case(.json, "[{\"url\": \"a\"}]", .badField(name: "url", value: "url"), columns: [("url", "url")]),
    Case(.json, "[{\"key\": \"k\", \"url\": \"a\"}, {\"key\": \"k\", \"url\": \"b\"}]", .repeatedKey("k")),
    Case(
      .json, String(repeating: "[", count: 300) + String(repeating: "]", count: 300),
      .malformed("this is not JSON"), line: 1, entry: 1, entries: "/0/0"),
  ])
  func `of rows in JSON`(_ test: Case) { check(test) }

  @Test(arguments: [
    Case(.csv, "", .malformed("the header is missing"), line: 1),
    Case(.csv, "\n\n", .malformed("the header is missing"), line: 1),
    Case(.csv, login, .otherFormat(found: html)),
    Case(.csv, "<html lang=\"en\">\n<script>a(b, c)</script></html>\n", .otherFormat(found: html)),
    Case(.csv, "url\n", .empty),
    Case(.csv, "a,b\n1,2\n", .noColumn("url", among: ["a", "b"]), line: 1),
    Case(.csv, "a,url\n", .noColumn("link", among: ["a", "url"]), line: 1, columns: [("url", "link")]),
    Case(.csv, "url,url\n", .malformed("the column \"url\" is there twice"), line: 1),
    Case(.csv, "key,url\na,a\n\nb\n", .malformed("the row has 1 values, the header 2"), line: 4, entry: 2),
    Case(.csv, "key,url\na,a,a\n", .malformed("the row has 3 values, the header 2"), line: 2, entry: 1),
    Case(.csv, "key,url\na,\"b\n", .malformed("a quote has no end"), line: 3),
    Case(
      .csv, "key,url\na,b\"c\n", .malformed("a quote is inside a value, or a value goes on behind its quote"),
      line: 2),
    Case(
      .csv, "key,url\na,\"b\"c\n",
      .malformed("a quote is inside a value, or a value goes on behind its quote"), line: 2),
    Case(.csv, "key,url\ra,b\r", .malformed("a line ends in CR alone, not in LF or CR LF"), line: 1),
    Case(
      .csv, "key,url\r\na,\"b\"\rc,d\r\n", .malformed("a line ends in CR alone, not in LF or CR LF"), line: 2),
    Case(.csv, "key,url\na,b\0c\n", .malformed("this is not text in UTF-8"), line: 2),
    Case(.csv, "key,url\n\"x\ny\",a\na,\n", .lacks("a URL"), line: 4, entry: 2),
    Case(.csv, "key,url,size\na,b,x\n", .badField(name: "size", value: "x"), line: 2, entry: 1),
    Case(.csv, "key,url\na,ftp://h/a\n", .badURL("ftp://h/a"), line: 2, entry: 1),
    Case(.csv, "key,url\na,b\na,c\n", .repeatedKey("a")),
  ])
  func `of a table`(_ test: Case) { check(test) }

  @Test func `of a local file is a URL that is not absolute`() throws {
    let reader = ListReader(format: .json)
    let page = try reader.page(
      Array(#"[{"url": "http://h/a"}, {"url": "https://h/b"}]"#.utf8), url: nil)
    #expect(page.entries.map(\.url) == ["http://h/a", "https://h/b"])
    for reference in ["a", "/a", "//h/a", "?a", "", "file:///a", "../a"] {
      #expect(throws: ListFault.self, "\(reference)") {
        try reader.page(Array("[{\"url\": \"\(reference)\"}]".utf8), url: nil)
      }
    }
    #expect(throws: ListFault(.empty)) {
      try ListReader(format: .index).page(
        Array("<html><title>Index of /</title><a href='a'>a</a></html>".utf8), url: nil)
    }
  }

  @Test func `is one of bytes that are no text`() {
    for format in ListFormat.allCases {
      let reader = ListReader(format: format)
      #expect(throws: ListFault(.otherFormat(found: "compressed data")), "\(format)") {
        try reader.page([0x1F, 0x8B, 0x08, 0x00], url: "https://h/a")
      }
      #expect(throws: ListFault(.badURL("ftp://h/a"))) { try reader.page([0x20], url: "ftp://h/a") }
    }
    #expect(throws: ListFault(.malformed("this is not text in UTF-8"), line: 2)) {
      try ListReader(format: .csv).page(Array("key,url\na,".utf8) + [0xFF], url: "https://h/a")
    }
  }
}
