/// Why a list cannot be used (`list-invalid`; contract, section 11).
package struct ListFault: Error, Sendable, Equatable {
  /// What a page of S3 lacks that is cut off by the older way of asking.
  package static let continuation = "a continuation token"

  /// What is wrong.
  package enum Reason: Sendable, Equatable {
    /// The document ends before its own end, or is no such format; `text` is the reader's word for it.
    case malformed(String)
    /// Another format; `found` says which, such as `an HTML page`.
    case otherFormat(found: String)
    /// XML with a DOCTYPE, which could define entities without end.
    case hasDoctype
    /// The list has no entry.
    case empty
    /// More than ``ListLimits/entries``.
    case tooManyEntries
    /// More than ``ListLimits/pages``.
    case tooManyPages
    /// More than ``ListLimits/bytes``.
    case tooLarge
    /// A page names an earlier one as the next.
    case repeatedPage(String)
    /// The URL of a further page is not `http` or `https`, or leads from https to http.
    case badPage(String)
    /// The URL of a further page has a user's name or a password.
    case pageHasCredentials
    /// A reply's header field `Link` cannot be read, and may name a further page.
    case badLinkField
    /// The member of a document at this pointer says that there are further pages, and nothing says where.
    case unaskedPages(String)
    /// An entry lacks what every entry must have, such as `a URL`.
    case lacks(String)
    /// The header of a table lacks this column, and has the others.
    case noColumn(String, among: [String])
    /// The manifest says where rows have their digests, and none has one that can be compared there.
    case noDigest(String)
    /// A file of a list of digests has only a digest by this algorithm, which is not compared.
    case notCompared(String, of: String)
    /// Two entries have one key and nothing says which is later.
    case repeatedKey(String)
    /// An entry's URL is not `http` or `https`, or leads from https to http.
    case badURL(String)
    /// The pointer `entries` leads to nothing, or not to an array.
    case noRows(pointer: String)
    /// A field's value is of the wrong kind, such as a size that is no number.
    case badField(name: String, value: String)
    /// The library expat is missing.
    case noLibrary
  }

  /// What is wrong.
  package var reason: Reason
  /// The line of the page, from 1; `nil` if the format has no lines or the place is not known.
  package var line: Int?
  /// The number of the entry or row, from 1; `nil` if it concerns none.
  package var entry: Int?

  /// Nothing is checked.
  package init(_ reason: Reason, line: Int? = nil, entry: Int? = nil) {
    self.reason = reason
    self.line = line
    self.entry = entry
  }
}
