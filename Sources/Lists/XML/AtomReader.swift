import SyncModel

/// Atom feeds (RFC 4287), also with Apple's docset elements.
///
/// - The key is the docset identifier if the entry has one, else its `id`; the version is the docset version. Several
///   versions of one docset are several entries.
/// - The URL is the first link `enclosure`, which is a file. Without one it is the first link `alternate`, which is also
///   the one that has no `rel`. The size is the link's `length`; one of 0 means that nobody knows.
/// - A link `next` of the feed is a further page (RFC 5005).
/// - `xml:base` is followed. A date that cannot be read counts as none.
enum AtomReader {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    do throws(XMLFault) { try XMLWalk.read(bytes, shape, AtomListener(entries)) } catch {
      throw DocumentKind.fault(bytes, error)
    }
  }

  fileprivate enum Part: Int {
    case feed, feedLink, entry, id, title, updated, link, identifier, version
  }

  private static let docset = ["http://developer.apple.com/rss/docset_extensions"]

  private static let shape = XMLShape(
    .element(
      "feed", Part.feed, in: ["http://www.w3.org/2005/Atom"],
      [
        .element("link", Part.feedLink),
        .element(
          "entry", Part.entry, keepsOthers: true,
          [
            .text("id", Part.id), .text("title", Part.title), .text("updated", Part.updated),
            .element("link", Part.link), .text("identifier", Part.identifier, in: docset),
            .text("version", Part.version, in: docset),
          ]),
      ]))
}

private final class AtomListener: XMLListener {
  private let entries: EntryCollector
  private var feedBase: URLBase?
  private var entry = Entry()

  private struct Link {
    var reference: String
    var base: URLBase?
    var length: Int64?
  }

  private struct Entry {
    var base: URLBase?
    var id: String?
    var identifier: String?
    var version: String?
    var title: String?
    var updated: Timestamp?
    var enclosure: Link?
    var alternate: Link?
    var others: [ListEntry.Field] = []
  }

  init(_ entries: EntryCollector) { self.entries = entries }

  func began(_ part: Int, _ attributes: XMLAttributes) {
    switch AtomReader.Part(rawValue: part) {
    case .feed: feedBase = base(attributes, in: nil)
    case .feedLink where attributes["rel"] == "next":
      guard let href = attributes["href"] else { return }
      let base = base(attributes, in: feedBase)
      entries.orKeepFault { () throws(ListFault) in try entries.addFurther(href, base: base) }
    case .entry: entry = Entry(base: base(attributes, in: feedBase))
    case .link: add(attributes)
    default: break
    }
  }

  /// The base inside an element that is in one with the base `outer`.
  private func base(_ attributes: XMLAttributes, in outer: URLBase?) -> URLBase? {
    guard let reference = attributes.base else { return outer }
    return (outer ?? entries.base).resolve(reference).flatMap { URLBase($0) } ?? outer
  }

  private func add(_ attributes: XMLAttributes) {
    guard let href = attributes["href"] else { return }
    let length = attributes["length"].flatMap(EntryCollector.size)
    let link = Link(
      reference: href, base: base(attributes, in: entry.base), length: length == 0 ? nil : length)
    switch attributes["rel"] ?? "alternate" {
    case "enclosure" where entry.enclosure == nil: entry.enclosure = link
    case "alternate" where entry.alternate == nil: entry.alternate = link
    default: break
    }
  }

  func ended(_ part: Int, _ text: String?) {
    let text = EntryCollector.filled(text)
    switch AtomReader.Part(rawValue: part) {
    case .id: entry.id = entry.id ?? text
    case .title: entry.title = entry.title ?? text
    case .updated: entry.updated = entry.updated ?? text.flatMap { Timestamp(rfc3339: $0) }
    case .identifier:
      entry.identifier = entry.identifier ?? text
    case .version: entry.version = entry.version ?? text
    case .entry: entries.addOrKeepFault { () throws(ListFault) in try listed(entry) }
    default: break
    }
  }

  func other(_ name: String, _ text: String) { entry.others.append(ListEntry.Field(name: name, value: text)) }

  private func listed(_ entry: Entry) throws(ListFault) -> ListEntry {
    guard let key = entry.identifier ?? entry.id else { throw ListFault(.lacks("an id")) }
    guard let link = entry.enclosure ?? entry.alternate else { throw ListFault(.lacks("a link")) }
    let url = try entries.url(link.reference, base: link.base)
    var listed = ListEntry(key: key, name: EntryCollector.name(of: url) ?? "", url: url)
    listed.version = entry.version
    listed.updated = entry.updated
    listed.size = link.length
    listed.title = entry.title
    listed.others = entry.others
    return listed
  }
}
