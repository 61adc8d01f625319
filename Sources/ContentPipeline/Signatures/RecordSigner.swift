import Crypto
package import SyncModel

/// Signs the records of a cache with Ed25519, and checks the signatures of others.
package struct RecordSigner: Sendable {
  private let key: Curve25519.Signing.PrivateKey
  /// The key's number as minisign prints it.
  package let keyNumber: String

  /// `nil` if the file of the key is damaged: its public half is not that of its secret one.
  package init?(_ secret: MinisignSecretKey) {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret.seed),
      Array(key.publicKey.rawRepresentation) == secret.publicBytes
    else { return nil }
    self.key = key
    keyNumber = secret.shownNumber
  }

  /// 64 bytes; `nil` if the library fails.
  package func signature(of message: [UInt8]) -> [UInt8]? {
    (try? key.signature(for: message)).map { Array($0) }
  }

  /// Whether the owner of `key` has signed `message`.
  package static func isValid(_ signature: [UInt8], of message: [UInt8], by key: MinisignKey) -> Bool {
    MinisignVerifier.isValid(signature, of: message, key)
  }
}
