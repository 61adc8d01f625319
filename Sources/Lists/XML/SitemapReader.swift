import SyncModel

/// Sitemaps and indexes of sitemaps (sitemaps.org).
///
/// The key is the last part of the URL's path. A URL whose path ends in a slash is a folder's and is left out. A
/// `lastmod` that is only a day is rounded, and counts as none. The sitemaps of an index are further pages.
enum SitemapReader {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    do throws(XMLFault) { try XMLWalk.read(bytes, urls, SitemapListener(entries)) } catch {
      guard case .otherRoot("sitemapindex") = error else { throw DocumentKind.fault(bytes, error) }
      do throws(XMLFault) { try XMLWalk.read(bytes, index, SitemapListener(entries)) } catch {
        throw DocumentKind.fault(bytes, error)
      }
    }
  }

  fileprivate enum Part: Int {
    case root, url, location, date, sitemap, sitemapLocation
  }

  private static let urls = XMLShape(
    .element(
      "urlset", Part.root,
      [
        .element(
          "url", Part.url, keepsOthers: true, [.text("loc", Part.location), .text("lastmod", Part.date)])
      ]))

  private static let index = XMLShape(
    .element(
      "sitemapindex", Part.root,
      [.element("sitemap", Part.sitemap, [.text("loc", Part.sitemapLocation)])]))
}

private final class SitemapListener: XMLListener {
  private let entries: EntryCollector
  private var location: String?
  private var updated: Timestamp?
  private var others: [ListEntry.Field] = []

  init(_ entries: EntryCollector) { self.entries = entries }

  func began(_ part: Int, _ attributes: XMLAttributes) {
    switch SitemapReader.Part(rawValue: part) {
    case .url, .sitemap: (location, updated, others) = (nil, nil, [])
    default: break
    }
  }

  func ended(_ part: Int, _ text: String?) {
    let text = EntryCollector.filled(text)
    switch SitemapReader.Part(rawValue: part) {
    case .location, .sitemapLocation: location = text
    case .date: updated = text.flatMap(ListDate.moment)
    case .url: entries.addOrKeepFault { () throws(ListFault) in try listed() }
    case .sitemap:
      entries.orKeepFault { () throws(ListFault) in
        guard let location else { throw ListFault(.lacks("a loc")) }
        try entries.addFurther(location)
      }
    default: break
    }
  }

  func other(_ name: String, _ text: String) { others.append(ListEntry.Field(name: name, value: text)) }

  private func listed() throws(ListFault) -> ListEntry? {
    guard let location else { throw ListFault(.lacks("a loc")) }
    let url = try entries.url(location)
    if EntryCollector.isFolder(url) { return nil }
    guard let name = EntryCollector.name(of: url) else { throw ListFault(.badURL(location)) }
    var entry = ListEntry(key: name, name: name, url: url)
    entry.updated = updated
    entry.others = others
    return entry
  }
}
