import Crypto
package import SyncModel

/// Several digests of the same bytes; a copy continues independently.
package struct Digester {
  private var md5: Insecure.MD5?
  private var sha1: Insecure.SHA1?
  private var sha256: SHA256?
  private var sha512: SHA512?

  /// The digest of `bytes`.
  package static func digest(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) -> HexDigest {
    func value(_ hash: some HashFunction) -> HexDigest {
      var hash = hash
      hash.update(data: bytes)
      return unsafe hash.finalize().withUnsafeBytes { unsafe HexDigest(bytes: $0) }
    }
    return switch algorithm {
    case .md5: value(Insecure.MD5())
    case .sha1: value(Insecure.SHA1())
    case .sha256: value(SHA256())
    case .sha512: value(SHA512())
    }
  }

  /// The sha256 of all `parts`, one after the other.
  package static func sha256(of parts: some Sequence<[UInt8]>) -> HexDigest {
    var hash = SHA256()
    for part in parts { unsafe part.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) } }
    return unsafe hash.finalize().withUnsafeBytes { unsafe HexDigest(bytes: $0) }
  }

  /// Of no bytes yet.
  package init(_ algorithms: Set<DigestAlgorithm>) { self.init(where: algorithms.contains) }

  /// The same with those that `isWanted`.
  package init(where isWanted: (DigestAlgorithm) -> Bool) {
    if isWanted(.md5) { md5 = .init() }
    if isWanted(.sha1) { sha1 = .init() }
    if isWanted(.sha256) { sha256 = .init() }
    if isWanted(.sha512) { sha512 = .init() }
  }

  /// Forgets all bytes.
  mutating func restart() {
    if md5 != nil { md5 = .init() }
    if sha1 != nil { sha1 = .init() }
    if sha256 != nil { sha256 = .init() }
    if sha512 != nil { sha512 = .init() }
  }

  /// Takes in the bytes that follow those of the calls before.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe md5?.update(bufferPointer: bytes)
    unsafe sha1?.update(bufferPointer: bytes)
    unsafe sha256?.update(bufferPointer: bytes)
    unsafe sha512?.update(bufferPointer: bytes)
  }

  /// The digest of all bytes so far, or `nil` if `algorithm` was not requested.
  package func value(_ algorithm: DigestAlgorithm) -> HexDigest? {
    switch algorithm {
    case .md5: md5.map { unsafe $0.finalize().withUnsafeBytes { unsafe HexDigest(bytes: $0) } }
    case .sha1: sha1.map { unsafe $0.finalize().withUnsafeBytes { unsafe HexDigest(bytes: $0) } }
    case .sha256: sha256.map { unsafe $0.finalize().withUnsafeBytes { unsafe HexDigest(bytes: $0) } }
    case .sha512: sha512.map { unsafe $0.finalize().withUnsafeBytes { unsafe HexDigest(bytes: $0) } }
    }
  }

  /// The digests of all bytes so far, one for each requested algorithm; more bytes may follow.
  package func finish() -> [DigestAlgorithm: HexDigest] {
    var digests: [DigestAlgorithm: HexDigest] = [:]
    for algorithm in DigestAlgorithm.allCases {
      if let digest = value(algorithm) { digests[algorithm] = digest }
    }
    return digests
  }

  /// The identity of all bytes so far, `size` in number.
  package func identity(size: Int64) -> ContentIdentity {
    if md5 == nil, sha1 == nil, sha512 == nil { return ContentIdentity(size: size, sha256: value(.sha256)) }
    return ContentIdentity(size: size, digests: finish())
  }
}
