/// What a partial download is a part of.
package struct PartialFacts: Sendable, Equatable {
  /// The resource, secrets masked.
  package let url: String
  /// A range rests on it.
  package var validator: StrongValidator
  /// The whole body's size in bytes; `nil` where the server did not say.
  package var total: Int64?
  /// The header's text byte for byte; a reply with the rest may leave it out (RFC 9110, section 15.3.7).
  package var lastModified: String?
  /// What the server sent as digests of the whole file with its first bytes.
  package var digests: [ServerDigest]

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
