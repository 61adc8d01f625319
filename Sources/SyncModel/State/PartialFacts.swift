/// The download that a partial download belongs to.
package struct PartialFacts: Sendable, Equatable {
  /// The resource, secrets masked.
  package let url: String
  /// A range rests on it.
  package var validator: StrongValidator
  /// The whole body's size in bytes; `nil` if it is unknown.
  package var total: Int64?
  /// The header's text byte for byte; a reply with the rest may leave it out (RFC 9110, section 15.3.7).
  package var lastModified: String?
  /// The server's digests of the whole file, sent with its first bytes.
  package var digests: [ServerDigest]

  /// Removes what signs `url`; `total` is in bytes and `nil` if unknown.
  package init(
    url: String, validator: StrongValidator, total: Int64?, lastModified: String? = nil,
    digests: [ServerDigest] = []
  ) {
    self.url = ResourceURL.text(of: url)
    self.validator = validator
    self.total = total
    self.lastModified = lastModified
    self.digests = digests
  }

  /// One that rests on a strong ETag.
  package init(url: String, etag: EntityTag, total: Int64?, lastModified: String? = nil) {
    self.init(url: url, validator: .etag(etag), total: total, lastModified: lastModified)
  }
}
