/// A header line with a digest, or about a digest's validity; not interpreted yet.
package struct DigestField: Sendable, Equatable {
  /// The field's name, spelt as reports show it.
  package enum Name: String, Sendable, CaseIterable {
    /// RFC 9530: of the whole representation, also with a part of it.
    case representation = "Repr-Digest"
    /// RFC 9530: of the bytes of this reply.
    case content = "Content-Digest"
    /// RFC 3230, which RFC 9530 replaced.
    case digest = "Digest"
    /// RFC 1864; Azure sends it.
    case contentMD5 = "Content-MD5"
    /// Artifactory and Maven Central, in hexadecimal; so are the next two.
    case checksumSHA256 = "X-Checksum-Sha256"
    /// The same for sha1.
    case checksumSHA1 = "X-Checksum-Sha1"
    /// The same for md5.
    case checksumMD5 = "X-Checksum-Md5"
    /// Google Cloud Storage.
    case googleHash = "x-goog-hash"
    /// Says that ``googleHash`` is of bytes that may be stored in another form than they are sent in.
    case googleStoredEncoding = "x-goog-stored-content-encoding"
    /// S3.
    case amazonSHA256 = "x-amz-checksum-sha256"
    /// Says whether ``amazonSHA256`` is of the object or of the digests of its parts.
    case amazonType = "x-amz-checksum-type"
    /// Hugging Face, with the redirect to the file.
    case linkedETag = "X-Linked-ETag"
  }

  /// Which header it is; its case in the reply does not matter.
  package var name: Name
  /// The field's text.
  package var value: String
  /// Whether it came with a redirect that led to the reply, not with the reply itself.
  package var isOfRedirect: Bool

  /// `value` is the text after the colon.
  package init(_ name: Name, _ value: String, isOfRedirect: Bool = false) {
    self.name = name
    self.value = value
    self.isOfRedirect = isOfRedirect
  }
}

/// A server's digest of a file, or of the part of it in a 206.
package struct ServerDigest: Sendable, Equatable {
  /// The header that stated it.
  package var field: DigestField.Name
  /// The algorithm of ``digest``.
  package var algorithm: DigestAlgorithm
  /// The value in hexadecimal, whatever the header's own spelling.
  package var digest: HexDigest

  /// The length of `digest` must be that of `algorithm`.
  package init(_ field: DigestField.Name, _ algorithm: DigestAlgorithm, _ digest: HexDigest) {
    self.field = field
    self.algorithm = algorithm
    self.digest = digest
  }
}

/// A digest field, or one item of it, that proves nothing.
package struct IgnoredDigest: Sendable, Equatable {
  /// Why it proves nothing.
  package enum Reason: String, Sendable, CaseIterable {
    /// The value is not in the form that its header requires.
    case malformed
    /// The header names an algorithm that syncmake does not know.
    case unknownAlgorithm = "unknown-algorithm"
    /// It is of something else than the bytes of the file: of its parts' digests, or of another form of it.
    case notOfFile = "not-of-file"
  }

  /// The header that stated it.
  package var field: DigestField.Name
  /// The field's text, or that of the item.
  package var value: String
  /// Why it proves nothing.
  package var reason: Reason

  /// `value` is the text that was ignored.
  package init(_ field: DigestField.Name, _ value: String, _ reason: Reason) {
    self.field = field
    self.value = value
    self.reason = reason
  }
}
