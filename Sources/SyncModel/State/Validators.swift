/// What a server, or a source file, said to know a version by.
package struct Validators: Sendable, Equatable {
  /// The ``url`` of conditions that no reply gave, such as a file's own time: they hold for whatever URL the
  /// source leads to, and are never recorded.
  package static let anyURL = ""

  package var etag: EntityTag?
  /// The header's text byte for byte; parsed only to set or compare file times.
  package var lastModified: String?
  /// Size and mtime of a `file` source, as `SIZE-NANOSECONDS`; `nil` for web sources.
  package var fileStamp: String?
  /// The URL that they came from after redirects, secrets masked; they count for no other.
  package var url: String

  package init(
    etag: EntityTag? = nil, lastModified: String? = nil, fileStamp: String? = nil, url: String
  ) {
    self.etag = etag
    self.lastModified = lastModified
    self.fileStamp = fileStamp
    self.url = url
  }

  /// Whether there is nothing to ask with.
  package var isEmpty: Bool { etag == nil && lastModified == nil && fileStamp == nil }
}
