/// Something done to the bytes on their way from the source to the output (contract, section 4).
package enum Step: Sendable, Equatable {
  /// The bytes at this point have this digest.
  case verifyDigest(DigestAlgorithm, DigestSource)
  /// The bytes at this point are so many.
  case verifySize(Int64)
  /// The bytes at this point are signed with this minisign key.
  case verifyMinisign(MinisignCheck)
  /// The bytes are unpacked, every part of them; `window`: the largest that zstd may use, in bytes (`nil`:
  /// ``Compression/usualWindow``).
  case decompress(Compression, window: Int64? = nil)
  /// One file of the archive, or a folder of its files.
  indirect case unpack(UnpackRules)
  /// The unpacked folder has this tree digest.
  case verifyTree(HexDigest)

  /// RFC 1952, every member.
  package static let gunzip = Step.decompress(.gzip)

  /// Whether the bytes after this step differ from those before it.
  package var transforms: Bool {
    switch self {
    case .decompress, .unpack: true
    case .verifyDigest, .verifySize, .verifyMinisign, .verifyTree: false
    }
  }
}
