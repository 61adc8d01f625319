import SyncModel

extension ResponseHead {
  /// The content of a complete header; `length` is the result of ``BodyFraming`` for its Content-Length.
  init(_ header: HeaderBlock, url: String, length: Int64?) {
    self.init(
      // If it were sent back, a single star would match every version (RFC 9110, section 13.1.2).
      status: header.status, url: url,
      etag: header.value(.etag).flatMap { $0 == "*" ? nil : EntityTag($0) },
      lastModified: header.value(.lastModified), contentLength: length,
      contentRange: header.value(.contentRange), contentEncoding: Self.encoding(header),
      contentType: header.value(.contentType).flatMap(Self.mediaType),
      retryAfter: header.value(.retryAfter))
    version = header.version
    isPrivate = header.isPrivate
    // Beside an ETag only the wait that is asked for depends on it.
    if etag == nil && lastModified != nil || retryAfter != nil { date = header.date }
    digestFields = header.digestFields(ofRedirect: false)
    links = header.values(.link)
  }

  private static func encoding(_ header: HeaderBlock) -> String? {
    let values = header.values(.contentEncoding)
    guard !values.isEmpty else { return nil }
    let codings = values.joined(separator: ",").lowercased()
      .split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).filter { $0 != "identity" }
    return codings.isEmpty ? nil : codings.joined(separator: ", ")
  }

  private static func mediaType(_ text: String) -> String? {
    // Unchanged, if there is nothing to remove: every reply has one.
    let isBare = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe bytes.allSatisfy { (0x61...0x7a).contains($0) || (0x2d...0x39).contains($0) }
    }
    if isBare == true, !text.isEmpty { return text }
    let bytes = text.utf8.prefix {
      $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t")
    }
    return bytes.isEmpty ? nil : Substring(bytes).lowercased()
  }
}
