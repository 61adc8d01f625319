/// What a result says of a target whose source has confirmed its output.
package struct ConfirmedFile: Sendable, Equatable {
  /// Of the output, in bytes; of a folder that of its listing.
  package var size: Int64
  /// The output's digest; `nil` if it is unknown.
  package var sha256: HexDigest?
  /// The recorded validators that the source has confirmed.
  package var etag: EntityTag?
  /// See ``etag``.
  package var lastModified: String?

  /// `nil` stands for what is unknown.
  package init(size: Int64, sha256: HexDigest?, etag: EntityTag?, lastModified: String?) {
    self.size = size
    self.sha256 = sha256
    self.etag = etag
    self.lastModified = lastModified
  }

  /// Of the output's content, and of the validators with which its source is asked.
  package init(_ content: ContentIdentity, _ validators: Validators) {
    self.init(
      size: content.size, sha256: content.sha256, etag: validators.etag, lastModified: validators.lastModified
    )
  }
}
