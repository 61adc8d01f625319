package import SyncModel

/// Finds out what kind of list a document is, for a person who adds it to a manifest.
package enum ListRecognition {
  /// The stricter readers first: a table or rows may be anything else, too.
  private static let order: [ListFormat] = [
    .atom, .rss, .dash, .sitemap, .metalink, .s3, .github, .index, .checksums, .json, .csv,
  ]

  /// The first format of which `bytes` is a whole page, and what that says; `nil` if it is no list.
  ///
  /// `url` is as for ``ListReader/page(_:url:)``. Only what stands for a folder is a folder's listing: every web page
  /// has links.
  package static func recognise(_ bytes: [UInt8], url: String?) -> (format: ListFormat, page: ListPage)? {
    let path = (url ?? "").utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    for format in order where format != .index || path.last == UInt8(ascii: "/") {
      if let page = try? ListReader(format: format).page(bytes, url: url) { return (format, page) }
    }
    return nil
  }
}
