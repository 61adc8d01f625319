/// The apparent kind of a file that should contain a digest or a signature.
package enum FileKind: Sendable, Hashable, CaseIterable {
  /// A document in one of these formats, by its first characters.
  case html, xml, json
  /// The sums of the command `sum`, 16 bits each.
  case sum
  /// The sums of the command `cksum`, CRCs of 32 bits.
  case cksum
  /// A signature in the format of that program.
  case pgpSignature, minisignSignature, sshSignature
  /// A certificate, a key or a signature between `-----BEGIN` and `-----END`.
  case pem
  /// The same in binary: ASN.1's DER.
  case der
  /// Compressed data, or an archive.
  case packed
}
