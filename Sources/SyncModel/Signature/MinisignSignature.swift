/// A minisign signature file: four lines, of which the first has no meaning.
package struct MinisignSignature: Sendable, Equatable {
  /// Whether the file's BLAKE2b-512 was signed; else the file itself was, as old versions of minisign do.
  package var isPrehashed: Bool
  /// The number of the key that signed: eight bytes.
  package var keyNumber: [UInt8]
  /// The signature of the file: 64 bytes.
  package var signature: [UInt8]
  /// The text that the second signature covers, besides the first signature.
  package var trustedComment: [UInt8]
  /// The signature of ``signature`` and ``trustedComment``: 64 bytes.
  package var commentSignature: [UInt8]

  /// The longest signature file in bytes.
  package static let longest = 64 << 10

  private static let untrusted = Array("untrusted comment:".utf8)
  private static let trusted = Array("trusted comment: ".utf8)

  /// Whether these bytes begin like a signature of minisign or of OpenBSD's signify.
  package static func isRecognised(in bytes: [UInt8]) -> Bool { bytes.starts(with: untrusted) }

  /// Reads a whole file; both LF and CR LF end a line.
  package init(_ bytes: [UInt8]) throws(SignatureFault) {
    guard bytes.count <= Self.longest else { throw .tooLarge(limit: Self.longest) }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
    }
    guard Self.isRecognised(in: bytes) else { throw .notMinisign }
    guard lines.count > 1, let signed = Base64.decode(lines[1]), signed.count == 74 else {
      throw .unreadableLine(number: 2)
    }
    switch Array(signed[..<2]) {
    case Array("ED".utf8): isPrehashed = true
    case Array("Ed".utf8): isPrehashed = false
    default: throw .unreadableLine(number: 2)
    }
    keyNumber = Array(signed[2..<10])
    signature = Array(signed[10...])
    guard lines.count > 2, lines[2].starts(with: Self.trusted) else { throw .noTrustedComment }
    trustedComment = Array(lines[2].dropFirst(Self.trusted.count))
    guard lines.count > 3, let global = Base64.decode(lines[3]), global.count == 64 else {
      throw .unreadableLine(number: 4)
    }
    commentSignature = global
    if let more = lines.indices.dropFirst(4).first(where: { !lines[$0].isEmpty }) {
      throw .unreadableLine(number: more + 1)
    }
  }

  /// The key's number as minisign prints it.
  package var shownKeyNumber: String { MinisignKey.shown(keyNumber) }
}

/// Why a signature is not valid.
package enum SignatureFault: Error, Sendable, Equatable {
  /// The signature file is larger than any signature.
  case tooLarge(limit: Int)
  /// The file looks like something else.
  case seems(FileKind)
  /// The file is not a minisign signature, and its kind is unknown.
  case notMinisign
  /// The file has no trusted comment, as the signatures of OpenBSD's signify.
  case noTrustedComment
  /// A line of the signature is not what the format requires; `number` counts from 1.
  case unreadableLine(number: Int)
  /// Another key signed: both keys' numbers as minisign prints them.
  case otherKey(expected: String, actual: String)
  /// The bytes are not the ones that were signed.
  case wrongContent
  /// The trusted comment is not the one that was signed.
  case wrongComment
  /// A signature of the file itself, of which `size` bytes would have to be kept in memory, more than `limit`.
  case tooLargeToKeep(limit: Int64, size: Int64)
}
