/// The values by which a server or a source file identifies a version.
package typealias Validators = Shared<ValidatorFields>

/// The fields of ``Validators``.
package struct ValidatorFields: Sendable, Equatable {
  /// `nil` if there is none that may be stored, and for `file` sources.
  package var etag: EntityTag?
  /// The header's text byte for byte; parsed only to set or compare file times.
  package var lastModified: String?
  /// Size and mtime of a `file` source, as `SIZE-NANOSECONDS`; `nil` for web sources.
  package var fileStamp: String?
  /// The resource that they came from, secrets masked; they count for no other.
  package var url: String { didSet { url = ResourceURL.text(of: url) } }

  /// Whether all fields are equal, texts by their bytes.
  package static func == (a: ValidatorFields, b: ValidatorFields) -> Bool {
    a.etag == b.etag && a.lastModified.hasSameBytes(as: b.lastModified) && a.fileStamp == b.fileStamp
      && a.url.hasSameBytes(as: b.url)
  }
}

extension Validators {
  /// The ``ValidatorFields/url`` of conditions that are valid for any URL to which the source redirects, such as the
  /// lock's; never recorded.
  package static var anyURL: String { "" }
  /// The ``ValidatorFields/url`` of a question that comes from a file's own time and not from a reply; it is valid for
  /// any URL, too.
  package static var ownTimeURL: String { "time:" }

  /// `url` is the URL after redirects; what signs it is removed here.
  package init(
    etag: EntityTag? = nil, lastModified: String? = nil, fileStamp: String? = nil, url: String
  ) {
    self.init(
      ValidatorFields(
        etag: etag, lastModified: lastModified, fileStamp: fileStamp, url: ResourceURL.text(of: url)))
  }

  /// Whether they may be sent to whatever URL the source leads to.
  package var holdForAnyURL: Bool { self.url == Self.anyURL || self.url == Self.ownTimeURL }

  /// Whether there is nothing to ask with.
  package var isEmpty: Bool { self.etag == nil && self.lastModified == nil && self.fileStamp == nil }
}
