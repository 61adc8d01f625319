/// What a server, or a source file, said to know a version by.
package struct Validators: Sendable, Equatable {
  /// The ``url`` of conditions that hold for whatever URL the source leads to, such as the lock's; never recorded.
  package static let anyURL = ""
  /// The ``url`` of a question that no reply gave but a file's own time; it holds for any URL too.
  package static let ownTimeURL = "time:"

  /// `nil` where none came that may be kept, and for `file` sources.
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

  package static func == (a: Validators, b: Validators) -> Bool {
    a.etag == b.etag && a.lastModified.hasSameBytes(as: b.lastModified) && a.fileStamp == b.fileStamp
      && a.url.hasSameBytes(as: b.url)
  }

  /// Whether they may be sent to whatever URL the source leads to.
  package var holdForAnyURL: Bool { url == Self.anyURL || url == Self.ownTimeURL }

  /// Whether there is nothing to ask with.
  package var isEmpty: Bool { etag == nil && lastModified == nil && fileStamp == nil }
}
