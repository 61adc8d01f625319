/// How bytes are known again: their number and their digests.
package struct ContentIdentity: Sendable, Equatable {
  /// In bytes.
  package var size: Int64
  /// `nil` if it is unknown, as in a damaged record.
  package private(set) var sha256: HexDigest?
  private var others: [DigestAlgorithm: HexDigest]

  /// `digests` are those that are known, in any number.
  package init(size: Int64, digests: [DigestAlgorithm: HexDigest]) {
    self.size = size
    sha256 = digests[.sha256]
    others = digests
    others[.sha256] = nil
  }

  /// With that digest alone, which costs no dictionary: a manifest may have a hundred thousand.
  package init(size: Int64, sha256: HexDigest?) {
    self.size = size
    self.sha256 = sha256
    others = [:]
  }

  /// Whether no other digest is known.
  package var hasSHA256Alone: Bool { others.isEmpty && sha256 != nil }

  /// `nil` if that one is unknown.
  package func digest(_ algorithm: DigestAlgorithm) -> HexDigest? {
    algorithm == .sha256 ? sha256 : others[algorithm]
  }

  /// sha256 if it is known; others if a rule or a step needed them.
  package var digests: [DigestAlgorithm: HexDigest] {
    get {
      var all = others
      all[.sha256] = sha256
      return all
    }
    set { self = ContentIdentity(size: size, digests: newValue) }
  }
}
