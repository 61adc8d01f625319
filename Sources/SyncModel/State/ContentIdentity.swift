/// How bytes are known again: their number and their digests.
package struct ContentIdentity: Sendable, Equatable {
  package var size: Int64
  /// sha256 always; others where a rule or a step asked for them.
  package var digests: [DigestAlgorithm: HexDigest]

  package init(size: Int64, digests: [DigestAlgorithm: HexDigest]) {
    self.size = size
    self.digests = digests
  }

  package var sha256: HexDigest? { digests[.sha256] }
}
