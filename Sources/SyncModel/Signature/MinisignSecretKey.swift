/// A minisign secret key without a password, which signs the records of a cache (contract, section 12).
///
/// It is a secret: no text of ours has a part of it, and neither have the faults.
package struct MinisignSecretKey: Sendable, Equatable {
  /// Why bytes are not such a key.
  package enum Fault: Error, Sendable, Equatable {
    /// They are something else, or damaged.
    case notSecretKey
    /// They are a key that a password protects.
    case hasPassword
  }

  /// Eight bytes, as in the public key.
  package let number: [UInt8]
  /// What the Ed25519 key is made of: 32 bytes.
  package let seed: [UInt8]
  /// The public key as the file has it, which must be that of ``seed``: 32 bytes.
  package let publicBytes: [UInt8]

  /// In bytes: a longer file is no key.
  package static let longest = 4 << 10

  /// Reads a file that `minisign -G -W` has written: a comment, and a line of base64.
  package init(_ bytes: [UInt8]) throws(Fault) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
    }
    guard bytes.count <= Self.longest, lines.count > 1, lines[0].starts(with: "untrusted comment:".utf8),
      let key = Base64.decode(lines[1]), key.count == Layout.size, key.starts(with: "Ed".utf8)
    else { throw .notSecretKey }
    // Without a password nothing is derived from one.
    guard key[2] == 0, key[3] == 0 else { throw .hasPassword }
    number = Array(key[Layout.number])
    seed = Array(key[Layout.seed])
    publicBytes = Array(key[Layout.publicBytes])
  }

  /// The number as minisign prints it.
  package var shownNumber: String { MinisignKey.shown(number) }

  /// Places in the 158 bytes: three algorithms of two bytes, 48 bytes for a password, the key, and a checksum.
  private enum Layout {
    static let size = 158
    static let number = 54..<62
    static let seed = 62..<94
    static let publicBytes = 94..<126
  }
}
