/// Something done to the bytes on their way from the source to the output (SPEC section 4).
package enum Step: Sendable, Equatable {
  /// The bytes at this point have this digest.
  case verifyDigest(DigestAlgorithm, DigestSource)
  /// The bytes at this point are so many.
  case verifySize(Int64)
  /// RFC 1952, every member.
  case gunzip

  /// Whether the bytes after this step differ from those before it.
  package var transforms: Bool { self == .gunzip }
}
