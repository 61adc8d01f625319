import SyncModel

/// The listing of a folder by a web server: nginx, Apache, lighttpd, Caddy, Python and others that write alike, as HTML;
/// nginx and Caddy as JSON, too.
///
/// A page of HTML is a listing if its title or its first heading says so, as `Index of` or `Directory listing`, or if it
/// has Caddy's links that sort. It is whole if `</html>` ends it. Its entries are the files directly in the folder: the
/// links whose URL is the folder's and one more part. Links that lead elsewhere, to folders or with a query (they sort)
/// are left out. The key is the file's name, with its escapes if it is not UTF-8. Sizes and dates of HTML are rounded, and
/// so they are not taken.
enum IndexReader {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    switch bytes[start...].first(where: { !HTMLTags.isBlank($0) }) {
    case UInt8(ascii: "["), UInt8(ascii: "{"): try JSONListing.read(bytes, into: entries)
    case UInt8(ascii: "<"): try readHTML(bytes, entries)
    case nil: throw ListFault(.malformed("the page is empty"))
    default: throw ListFault(.otherFormat(found: "a page that is neither HTML nor JSON"))
    }
  }

  private static func readHTML(_ bytes: [UInt8], _ entries: EntryCollector) throws(ListFault) {
    var page = HTMLPage(bytes)
    let links = page.links()
    guard page.hasListingTitle || links.contains(where: { isCaddySort($0, entries.base) }) else {
      let found = page.isHTML ? "an HTML page that is not the listing of a folder" : FileKind.xml.words
      throw ListFault(.otherFormat(found: found))
    }
    guard page.isWhole else { throw ListFault(.malformed("the page has no end")) }
    let base = page.base.flatMap(entries.base.resolve).flatMap(URLBase.init) ?? entries.base
    for link in links {
      try entries.add { () throws(ListFault) in try listed(link, base, entries) }
    }
  }

  /// `?sort=name&order=asc`, on the page itself.
  private static func isCaddySort(_ link: String, _ base: URLBase) -> Bool {
    let query = link.utf8.starts(with: "./".utf8) ? String(link.dropFirst(2)) : link
    return query.hasPrefix("?sort=") && query.holds("&order=") && base.resolve(query) != nil
  }

  /// `nil` for a link that is not a file's directly in the folder.
  private static func listed(
    _ link: String, _ base: URLBase, _ entries: EntryCollector
  ) throws(ListFault) -> ListEntry? {
    let folder = entries.base.folder
    guard !link.utf8.contains(UInt8(ascii: "?")), !link.utf8.contains(UInt8(ascii: "#")),
      let url = base.resolve(link), url.utf8.starts(with: folder.utf8)
    else { return nil }
    let path = url.utf8.dropFirst(folder.utf8.count)
    // An empty link is the page itself, which may have a query.
    guard !path.isEmpty, !path.contains(UInt8(ascii: "/")), !path.contains(UInt8(ascii: "?")) else {
      return nil
    }
    guard let name = EntryCollector.name(of: url) ?? escapedName(String(Substring(path))) else {
      throw ListFault(.badURL(link))
    }
    return ListEntry(key: name, name: name, url: try entries.url(url))
  }

  /// The name of a file whose name is not UTF-8; `nil` for what is no name in any encoding.
  private static func escapedName(_ part: String) -> String? {
    guard let bytes = WebURL.percentDecodedBytes(part),
      !bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
    else { return nil }
    return part
  }
}

/// What is read of one page.
private struct HTMLPage {
  private var tags: HTMLTags
  private(set) var isHTML = false
  /// What links are relative to, if the page names it (`<base href>`): only its first such tag counts.
  private(set) var base: String?
  /// Whether the title or the first heading says that this is a listing.
  private(set) var hasListingTitle = false
  /// Whether the last tag is the end of the document.
  private(set) var isWhole = false

  init(_ bytes: [UInt8]) { tags = HTMLTags(bytes) }

  /// The targets of all links, in order.
  mutating func links() -> [String] {
    var links: [String] = []
    var title: String?
    var hasHeading = false
    while let piece = tags.next() {
      switch piece {
      case .text(let text):
        // Its beginning says enough.
        if let open = title, open.utf8.count < 100 { title = open + HTMLEntities.decoded(text.prefix(1000)) }
      case .tag(let name, let attributes):
        if name == "html" { isHTML = true }
        isWhole = name == "/html"
        switch name {
        case "title": title = ""
        case "h1", "h2": if !hasHeading { title = "" }
        case "/title": end(&title)
        case "/h1", "/h2":
          hasHeading = true
          end(&title)
        case "base": base = base ?? HTMLTags.attribute("href", in: attributes)
        case "a":
          if let link = HTMLTags.attribute("href", in: attributes) {
            isHTML = true
            links.append(link)
          }
        default: break
        }
      }
    }
    return links
  }

  private mutating func end(_ title: inout String?) {
    let words = (title ?? "").split { $0.isWhitespace }.joined(separator: " ").lowercased()
    if words.hasPrefix("index of ") || words.hasPrefix("directory listing") { hasListingTitle = true }
    title = nil
  }
}
