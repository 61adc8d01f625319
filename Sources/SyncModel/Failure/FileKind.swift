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

  /// With its article, for a message.
  package var words: String {
    switch self {
    case .html: "an HTML page"
    case .xml: "an XML document"
    case .json: "a JSON document"
    case .sum: "the sums of `sum`, which are not digests"
    case .cksum: "the sums of `cksum`, which are not digests"
    case .pgpSignature: "a PGP signature"
    case .minisignSignature: "a minisign signature"
    case .sshSignature: "an SSH signature"
    case .pem: "a certificate, a key or a signature in PEM"
    case .der: "a certificate or a signature in DER"
    case .packed: "compressed data"
    }
  }
}
