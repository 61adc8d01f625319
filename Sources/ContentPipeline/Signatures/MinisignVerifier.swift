import Crypto
package import SyncModel

/// Checks minisign signatures with Ed25519.
package enum MinisignVerifier {
  /// Checks the key and the trusted comment, which needs no signed bytes.
  package static func check(
    _ signature: MinisignSignature, by key: MinisignKey
  ) throws(SignatureFault) {
    guard signature.keyNumber == key.number else {
      throw .otherKey(expected: key.shownNumber, actual: signature.shownKeyNumber)
    }
    let covered = signature.signature + signature.trustedComment
    guard isValid(signature.commentSignature, of: covered, key) else { throw .wrongComment }
  }

  /// Checks that `content` is the signed content; call it after ``check(_:by:)``.
  package static func check(
    _ signature: MinisignSignature, of content: SignedContent, by key: MinisignKey
  ) throws(FailureOfCheck) {
    let signed: [UInt8]
    if signature.isPrehashed {
      guard let digest = content.digest else { throw .noBlake2b }
      signed = digest
    } else {
      guard let bytes = content.bytes else {
        throw .signature(.tooLargeToKeep(limit: Int64(SignedContent.mostKept), size: content.size))
      }
      signed = bytes
    }
    guard isValid(signature.signature, of: signed, key) else { throw .signature(.wrongContent) }
  }

  /// Why a check did not succeed.
  package enum FailureOfCheck: Error, Sendable, Equatable {
    /// The signature does not hold for these bytes, or another key made it.
    case signature(SignatureFault)
    /// There is no library for BLAKE2b.
    case noBlake2b
  }

  static func isValid(_ signature: [UInt8], of bytes: [UInt8], _ key: MinisignKey) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key.bytes) else { return false }
    return key.isValidSignature(signature, for: bytes)
  }
}
