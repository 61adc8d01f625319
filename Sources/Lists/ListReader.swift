package import SyncModel

/// Reads the pages of a list (contract, section 11). Pure: bytes in, entries out.
package struct ListReader: Sendable {
  /// The format of every page.
  package let format: ListFormat
  /// Where rows and columns are; only for `json` and `csv`.
  package let fields: ListFields

  /// `fields` has no meaning for formats other than `json` and `csv`.
  package init(format: ListFormat, fields: ListFields = ListFields()) {
    self.format = format
    self.fields = fields
  }

  /// What one whole page says.
  ///
  /// It throws ``ListFault/Reason/empty`` only for a whole document that has neither entries nor further pages; such a
  /// one may be the last page of a list. Entries that are repeated on other pages are ``ListGathering``'s matter.
  ///
  /// - Parameters:
  ///   - bytes: the page's body, without a content coding.
  ///   - url: the final URL, after redirects. Relative URLs are resolved against it; `nil` for a local file, whose URLs
  ///     must all be absolute.
  package func page(_ bytes: [UInt8], url: String?) throws(ListFault) -> ListPage {
    let base = try url.map { url throws(ListFault) in
      guard let base = URLBase(url) else { throw ListFault(.badURL(url)) }
      return base
    }
    if let kind = DocumentKind.binary(bytes) { throw ListFault(.otherFormat(found: kind)) }
    let entries = EntryCollector(base ?? .localFile)
    switch format {
    case .atom: try AtomReader.read(bytes, into: entries)
    case .rss: try RSSReader.read(bytes, into: entries)
    case .dash: try DashReader.read(bytes, into: entries)
    case .index: try IndexReader.read(bytes, into: entries)
    case .checksums: try ChecksumsReader.read(bytes, into: entries)
    case .github: try GitHubReader.read(bytes, into: entries)
    case .json: try JSONRowsReader.read(bytes, fields, into: entries)
    case .csv: try CSVReader.read(bytes, fields, into: entries)
    case .s3: try S3Reader.read(bytes, into: entries)
    case .sitemap: try SitemapReader.read(bytes, into: entries)
    case .metalink: try MetalinkList.read(bytes, into: entries)
    }
    return try entries.page()
  }
}
