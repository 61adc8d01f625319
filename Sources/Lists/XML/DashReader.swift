import SyncModel

/// The feed of one docset, as Dash and Zeal read it: a root `entry` without a namespace.
///
/// It is one entry. Its key is the last part of the URL's path. Each further `url` is a mirror. The `other-versions` are
/// only names, without URLs, and so they are not read.
enum DashReader {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    let listener = DashListener()
    do throws(XMLFault) { try XMLWalk.read(bytes, shape, listener) } catch {
      throw DocumentKind.fault(bytes, error)
    }
    try entries.add { () throws(ListFault) in
      let urls = try entries.urls(listener.urls)
      guard let name = EntryCollector.name(of: urls[0]) else { throw ListFault(.lacks("a file name")) }
      var entry = ListEntry(key: name, name: name, url: urls[0])
      entry.mirrors = Array(urls.dropFirst())
      entry.version = listener.version
      return entry
    }
  }

  fileprivate enum Part: Int {
    case entry, version, url
  }

  private static let shape = XMLShape(
    .element(
      "entry", Part.entry, in: [""], [.text("version", Part.version), .text("url", Part.url)]))
}

private final class DashListener: XMLListener {
  private(set) var urls: [String] = []
  private(set) var version: String?

  func began(_ part: Int, _ attributes: XMLAttributes) {}

  func ended(_ part: Int, _ text: String?) {
    guard let text = EntryCollector.filled(text) else { return }
    switch DashReader.Part(rawValue: part) {
    case .version: version = version ?? text
    // More are of no use, and compared with each other they would take long.
    case .url where urls.count < 100: urls.append(text)
    default: break
    }
  }
}
