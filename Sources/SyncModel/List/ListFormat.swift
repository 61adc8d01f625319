/// The format of a list (`format` in `list`; contract, section 11).
package enum ListFormat: String, Sendable, CaseIterable {
  /// An Atom feed (RFC 4287), also with Apple's docset elements.
  case atom
  /// An RSS 2.0 feed, such as a podcast's.
  case rss
  /// The feed of one docset, as Dash and Zeal read it.
  case dash
  /// A folder's listing by a web server, HTML or JSON.
  case index
  /// Files with their digests, such as a `SHA256SUMS`.
  case checksums
  /// The releases of a GitHub repository.
  case github
  /// A JSON document; `entries` and `fields` say where its rows are.
  case json
  /// A table with a header, separated by commas (RFC 4180).
  case csv
  /// The reply to S3's `ListObjectsV2`.
  case s3
  /// A sitemap, or an index of sitemaps (sitemaps.org).
  case sitemap
  /// A Metalink (RFC 5854, or version 3).
  case metalink

  /// Whether a reader finds by the text alone that its end is missing; of others, only the transfer can prove it.
  package var provesItsEnd: Bool {
    switch self {
    case .atom, .rss, .dash, .github, .json, .s3, .sitemap, .metalink: true
    // A listing may be HTML.
    case .index, .checksums, .csv: false
    }
  }
}

/// Where the rows of a list in `json` or `csv` are, and which of their parts is what (contract, section 11).
package struct ListFields: Sendable, Hashable {
  /// What one part of a row is.
  package enum Role: String, Sendable, CaseIterable {
    case key, name, url, version, size, digest, updated
  }

  /// The place of the array of rows; the document itself if it is empty. Without meaning for `csv`.
  package var entries: JSONPointer?
  /// For each role the column's name, or the pointer inside a row as written; `title` becomes ``ListEntry/title``, other
  /// names become ``ListEntry/others``. If it is empty, each role is where its own name says.
  package var columns: [(name: String, place: String)]

  /// Nothing is checked.
  package init(entries: JSONPointer? = nil, columns: [(name: String, place: String)] = []) {
    self.entries = entries
    self.columns = columns
  }

  /// Agrees with `==`.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(entries)
    for column in columns {
      hasher.combine(column.name)
      hasher.combine(column.place)
    }
  }

  /// In the same order.
  package static func == (a: ListFields, b: ListFields) -> Bool {
    a.entries == b.entries && a.columns.count == b.columns.count
      && zip(a.columns, b.columns).allSatisfy { $0.name == $1.name && $0.place == $1.place }
  }
}

/// What one page of a list says.
package struct ListPage: Sendable, Equatable {
  /// In the page's order.
  package var entries: [ListEntry]
  /// The URLs of pages that belong to the list too: the next page, or the sitemaps of an index.
  package var further: [String]
  /// The reference of the next page as a JSON document has it; a reply's field `Link` comes first.
  package var next: String?
  /// The pointer to a member of a document that says that there are further pages, but not where; `nil` if none does.
  package var unasked: String?

  /// Nothing is checked.
  package init(entries: [ListEntry], further: [String] = []) {
    self.entries = entries
    self.further = further
  }
}

/// The limits of one list, all pages together (contract, section 11).
package enum ListLimits {
  /// Pages.
  package static let pages = 1000
  /// Bytes of all pages.
  package static let bytes: Int64 = 64 << 20
  /// Entries.
  package static let entries = 1_000_000
}
