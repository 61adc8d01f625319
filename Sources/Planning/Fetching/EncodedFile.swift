import SyncModel

/// The meaning of a `Content-Encoding` that was not requested (contract, section 5).
package enum EncodedFile {
  /// Servers label packed files so that browsers unpack them. The body is the file itself.
  private static let endings = [".gz", ".tgz", ".svgz"]

  /// Whether an encoding, in lower case, is gzip by either of its names.
  package static func isGzip(_ encoding: String) -> Bool { encoding == "gzip" || encoding == "x-gzip" }

  /// Whether the body is stored as it is: it is gzip, and so is the file by one of its URLs.
  package static func isStored(_ encoding: String, urls: [String]) -> Bool {
    isGzip(encoding)
      && urls.contains { url in
        let path = WebURL(url)?.path.lowercased() ?? ""
        return endings.contains { path.hasSuffix($0) }
      }
  }

  /// Whether a sidecar's bytes are packed. Apache calls `x.gz.md5` gzip, too, for the ending in the middle of its name.
  package static func beginsLikeGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }
}
