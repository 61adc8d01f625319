/// The apparent kind of a file that should contain a digest or a signature.
package enum FileKind: Sendable, Hashable, CaseIterable {
  case html, xml, json
  /// The sums of the command `sum`, 16 bits each.
  case sum
  /// The sums of the command `cksum`, CRCs of 32 bits.
  case cksum
  case pgpSignature, minisignSignature, sshSignature
  /// A certificate, a key or a signature between `-----BEGIN` and `-----END`.
  case pem
  /// The same in binary: ASN.1's DER.
  case der
  /// Compressed data, or an archive.
  case packed
}
