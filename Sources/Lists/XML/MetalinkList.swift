import Planning
import SyncModel

/// A Metalink as a list of files.
///
/// The key is the file's name as written, the URL the best one by http or https; the others are mirrors. Digests of
/// unknown algorithms are ignored.
enum MetalinkList {
  static func read(_ bytes: [UInt8], into entries: EntryCollector) throws(ListFault) {
    let files: [MetalinkFile]
    do throws(XMLFault) { files = try MetalinkReader.read(bytes) } catch {
      throw DocumentKind.fault(bytes, error)
    }
    for file in files {
      try entries.add { () throws(ListFault) in try listed(file, entries) }
    }
  }

  /// A Metalink may have thousands of mirrors; nobody needs that many.
  private static let mostURLs = 100

  private static func listed(_ file: MetalinkFile, _ entries: EntryCollector) throws(ListFault) -> ListEntry {
    guard !file.name.isEmpty else { throw ListFault(.lacks("a name")) }
    let urls = try entries.urls(Array(file.urls.filter(isWeb).prefix(mostURLs)))
    var entry = ListEntry(key: file.name, name: file.name.lastPart, url: urls[0])
    entry.mirrors = Array(urls.dropFirst())
    entry.version = EntryCollector.filled(file.version)
    entry.size = try EntryCollector.size(file.size, field: "size")
    entry.digests = try ListDigest.digests(of: file)
    return entry
  }

  /// Whether it is relative or by a protocol that can be used.
  private static func isWeb(_ url: String) -> Bool { WebURL.scheme(of: url).map(WebURL.isWeb) ?? true }
}
