import SyncModel
import Testing

@Suite struct `A reference to a URL` {
  /// RFC 3986, section 5.4; the base's scheme and those of the references are ours.
  @Test(arguments: [
    ("https:h", nil), ("g", "https://a/b/c/g"), ("./g", "https://a/b/c/g"), ("g/", "https://a/b/c/g/"),
    ("/g", "https://a/g"), ("//g", "https://g"), ("?y", "https://a/b/c/d;p?y"), ("g?y", "https://a/b/c/g?y"),
    ("#s", "https://a/b/c/d;p?q"), ("g#s", "https://a/b/c/g"), ("g?y#s", "https://a/b/c/g?y"),
    (";x", "https://a/b/c/;x"), ("g;x", "https://a/b/c/g;x"), ("", "https://a/b/c/d;p?q"),
    (".", "https://a/b/c/"), ("./", "https://a/b/c/"), ("..", "https://a/b/"), ("../", "https://a/b/"),
    ("../g", "https://a/b/g"), ("../..", "https://a/"), ("../../", "https://a/"), ("../../g", "https://a/g"),
    ("../../../g", "https://a/g"), ("/./g", "https://a/g"), ("/../g", "https://a/g"),
    ("g.", "https://a/b/c/g."),
    (".g", "https://a/b/c/.g"), ("g..", "https://a/b/c/g.."), ("..g", "https://a/b/c/..g"),
    ("./../g", "https://a/b/g"), ("./g/.", "https://a/b/c/g/"), ("g/./h", "https://a/b/c/g/h"),
    ("g/../h", "https://a/b/c/h"), ("g;x=1/./y", "https://a/b/c/g;x=1/y"),
    ("g?y/./x", "https://a/b/c/g?y/./x"),
    ("g?y/../x", "https://a/b/c/g?y/../x"), ("g#s/../x", "https://a/b/c/g"),
    // Escaped dots are dots to servers, too.
    ("%2e%2E/g", "https://a/b/g"), ("%2e", "https://a/b/c/"), ("%2eg", "https://a/b/c/%2eg"),
    // Absolute ones.
    ("http://h/x", "http://h/x"), ("HTTPS://H/x/../y", "https://H/y"),
    ("https://h:8/a%20b?c#d", "https://h:8/a%20b?c"),
    ("https://h", "https://h"), ("ftp://h/x", nil), ("data:,x", nil), ("x:y", nil), ("mailto:a@h", nil),
    ("https://", nil), ("https://h:0/", nil), ("//", nil), ("///x", nil),
    // What lists write, though no URL has it.
    (" \n g \t", "https://a/b/c/g"), ("g h", "https://a/b/c/g%20h"), ("é?ü", "https://a/b/c/%C3%A9?%C3%BC"),
    ("https://h/a b<c>", "https://h/a%20b%3Cc%3E"), ("g\u{1}h", nil), ("g\nh", nil), ("https://h h/x", nil),
    ("[x]", "https://a/b/c/[x]"), ("a%zz", "https://a/b/c/a%zz"),
  ])
  func `is resolved as RFC 3986 has it`(reference: String, url: String?) throws {
    #expect(try #require(URLBase("https://a/b/c/d;p?q#f")).resolve(reference) == url)
  }

  @Test func `has a base of which all but the fragment counts`() throws {
    let base = try #require(URLBase("HTTP://u@H.example:81#x"))
    #expect(
      base.url == "HTTP://u@H.example:81" && base.path == "/" && base.folder == "http://u@H.example:81/")
    #expect(base.resolve("x") == "http://u@H.example:81/x")
    #expect(URLBase("file:///x") == nil)
  }

  @Test func `may not be longer than servers take`() throws {
    let base = try #require(URLBase("https://h/"))
    let longest = String(repeating: "a", count: URLBase.longest - 10)
    #expect(base.resolve(longest) == "https://h/" + longest)
    #expect(base.resolve(longest + "a") == nil)
    #expect(base.resolve("https://h/" + longest) == "https://h/" + longest)
    #expect(base.resolve("https://h/a" + longest) == nil)
  }

  @Test(arguments: [
    ("a/b.c", "a/b.c"), (".a/..b/c..", ".a/..b/c.."), ("a b", "a%20b"),
    ("a:b?c#d%e+f", "a%3Ab%3Fc%23d%25e%2Bf"),
    ("ü", "%C3%BC"), ("a//b", "a//b"), (".", nil), ("..", nil), ("a/../b", nil), ("./a", nil), ("a/.", nil),
  ])
  func `may be made of a file's name`(name: String, path: String?) {
    #expect(URLBase.path(naming: name) == path)
  }
}

@Suite struct `The field Link` {
  private func next(_ values: String...) throws(ListFault) -> String? {
    try LinkField.next(in: values, of: "https://api.h/r?page=1")
  }

  @Test func `names the next page as GitHub writes it`() throws {
    let value = "<https://api.h/r?page=2>; rel=\"next\", <https://api.h/r?page=34>; rel=\"last\""
    #expect(try next(value) == "https://api.h/r?page=2")
    #expect(
      try next("<https://api.h/r?page=1>; rel=\"prev\", <https://api.h/r?page=3>; rel=\"next\"")
        == "https://api.h/r?page=3")
    #expect(try next("<https://api.h/r?page=1>; rel=\"first\"") == nil)
    #expect(try next() == nil)
  }

  @Test(arguments: [
    ("<b>;rel=next", "https://api.h/b"), ("<b> ; REL = \"last Next\"", "https://api.h/b"),
    ("<a>; rel=prev; rel=next", nil), ("<a>; title=\"x, <y>; rel=next\", <b>; rel=next", "https://api.h/b"),
    ("<a>; title=\"\\\"\"; rel=next", "https://api.h/a"),
    ("<a>; rel=next; anchor=\"#x\", <b>; rel=next", "https://api.h/b"),
    ("<a,b;c>; rel=next", "https://api.h/a,b;c"), (", ,<b>; rel=next", "https://api.h/b"),
    ("<a>, <b>; rel=next", "https://api.h/b"),
    ("<a>; crossorigin; rel=next", "https://api.h/a"), ("<?page=2>; rel=next", "https://api.h/r?page=2"),
    // Odd, but readable.
    ("<a b>;; type=text/css; rel=https://h/x; title=it's; =", nil), ("<ftp://u:p@h/a>; rel=up", nil),
    ("<a>; rel='next'", "https://api.h/a"), ("<a>; title=\"<b>; rel=next\"", nil), ("<a>; rel=", nil),
    ("", nil),
    (",", nil),
  ])
  func `is read as RFC 8288 has it`(value: String, url: String?) throws { #expect(try next(value) == url) }

  @Test func `may be there several times`() throws {
    #expect(try next("<a>; rel=first", "<b>; rel=next") == "https://api.h/b")
  }

  @Test(arguments: [
    "<a rel=next", "a; rel=next", "<a>; rel=\"next", "<a> rel=next", "<a>; rel=\"next\" x", "<a>; rel=next\"",
    "<a>; rel=prev <b>; rel=next", "<a>; rel=prev<b>; rel=next", "<a>; rel=prev; <b>; rel=next",
    "<a; rel=next, <b>; rel=prev", "<a>; rel=\"prev; x=\"y\", <b>; rel=\"next\"", "<a>; rel=\"ne\\xt\" x",
    // What has followed is not known.
    "<a>; rel=\"pre", "<a",
  ])
  func `is a fault if what cannot be read may name a page`(value: String) throws {
    #expect(throws: ListFault(.badLinkField)) { try next(value) }
    #expect(throws: ListFault(.badLinkField)) { try next("<b>; rel=prev, " + value, "<b>; rel=next") }
    #expect(try next("<b>; rel=next, " + value) == "https://api.h/b")
  }

  @Test func `is no fault if what cannot be read names no page`() throws {
    #expect(try next("/a.css; rel=preload", "<a>; rel=preload x, <b>; rel=prev") == nil)
    #expect(try next("a, <b>; rel=prev", "<c>; rel=next") == "https://api.h/c")
    // The word alone counts.
    #expect(try next("/_next/a.css; rel=preload, </next-steps>; rel=\"help\" x") == nil)
  }

  @Test(arguments: ["ftp://h/a", "http://h/a", "https://", "data:,x", "https://h:0/", "a\u{1}"])
  func `is a fault if no page can be there`(reference: String) {
    #expect(throws: ListFault(.badPage(reference))) { try next("<\(reference)>; rel=next, <b>; rel=next") }
  }

  @Test(arguments: ["https://u:p@h/a", "//u@h/a", "ftp://u:p@h/a", "https://u:p@ h/a"])
  func `is a fault that does not tell what a page's URL has for a password`(reference: String) {
    #expect(throws: ListFault(.pageHasCredentials)) { try next("<\(reference)>; rel=next") }
  }
}
