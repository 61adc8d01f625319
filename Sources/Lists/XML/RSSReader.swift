import SyncModel

/// RSS 2.0 feeds, such as a podcast's.
///
/// - The key is the `guid`; without one, the last part of the URL's path.
/// - The URL is the first `enclosure`, with its `length`; without one the `link`, and without that a `guid` that is a
///   permanent link. A `length` of 0 means that nobody knows.
/// - A channel's `atom:link` with `rel="next"` is a further page (RFC 5005).
/// - A date that cannot be read counts as none.
enum RSSReader {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    let listener = RSSListener(entries)
    do throws(XMLFault) { try XMLWalk.read(bytes, shape, listener) } catch {
      throw DocumentKind.fault(bytes, error)
    }
    if let version = listener.otherVersion { throw ListFault(.otherFormat(found: "RSS \(version)")) }
  }

  fileprivate enum Part: Int {
    case rss, channel, page, item, guid, title, link, enclosure, date
  }

  private static let shape = XMLShape(
    .element(
      "rss", Part.rss,
      [
        .element(
          "channel", Part.channel,
          [
            .element("link", Part.page, in: ["http://www.w3.org/2005/Atom"]),
            .element(
              "item", Part.item, keepsOthers: true,
              [
                .text("guid", Part.guid), .text("title", Part.title), .text("link", Part.link),
                .element("enclosure", Part.enclosure), .text("pubDate", Part.date),
              ]),
          ])
      ]))
}

private final class RSSListener: XMLListener {
  private let entries: EntryCollector
  private(set) var otherVersion: String?
  private var item = Item()

  private struct Item {
    var guid: String?
    var isPermanentLink = true
    var title: String?
    var link: String?
    var enclosure: String?
    var length: Int64?
    var updated: Timestamp?
    var others: [ListEntry.Field] = []
  }

  init(_ entries: EntryCollector) { self.entries = entries }

  func began(_ part: Int, _ attributes: XMLAttributes) {
    switch RSSReader.Part(rawValue: part) {
    case .rss:
      // Versions 0.91 to 0.94 are the same in what is read here.
      let version = attributes["version"] ?? "2.0"
      if !version.hasPrefix("2.") && !version.hasPrefix("0.9") { otherVersion = version }
    case .page where attributes["rel"] == "next":
      guard let href = attributes["href"] else { return }
      entries.orKeepFault { () throws(ListFault) in try entries.addFurther(href) }
    case .item: item = Item()
    case .guid where item.guid == nil: item.isPermanentLink = attributes["isPermaLink"] != "false"
    case .enclosure where item.enclosure == nil:
      item.enclosure = attributes["url"]
      let length = attributes["length"].flatMap(EntryCollector.size)
      item.length = length == 0 ? nil : length
    default: break
    }
  }

  func ended(_ part: Int, _ text: String?) {
    let text = EntryCollector.filled(text)
    switch RSSReader.Part(rawValue: part) {
    case .guid: item.guid = item.guid ?? text
    case .title: item.title = item.title ?? text
    case .link: item.link = item.link ?? text
    case .date: item.updated = item.updated ?? text.flatMap(ListDate.moment)
    case .item: entries.addOrKeepFault { () throws(ListFault) in try listed(item) }
    default: break
    }
  }

  func other(_ name: String, _ text: String) { item.others.append(ListEntry.Field(name: name, value: text)) }

  private func listed(_ item: Item) throws(ListFault) -> ListEntry {
    let permanent = item.isPermanentLink ? item.guid : nil
    guard let reference = item.enclosure ?? item.link ?? permanent else { throw ListFault(.lacks("a URL")) }
    let url = try entries.url(reference)
    let name = EntryCollector.name(of: url)
    guard let key = item.guid ?? name else { throw ListFault(.lacks("a guid")) }
    var listed = ListEntry(key: key, name: name ?? "", url: url)
    listed.updated = item.updated
    listed.size = item.length
    listed.title = item.title
    listed.others = item.others
    return listed
  }
}
