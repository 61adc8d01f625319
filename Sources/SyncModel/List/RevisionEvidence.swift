/// The part of a list's entry that decided.
package enum RevisionEvidence: Sendable, Equatable {
  /// A digest of this algorithm.
  case digest(DigestAlgorithm)
  /// S3's ETag.
  case entityTag
  /// The version.
  case version
  /// The time of the last change, with the size if both have one.
  case updated
  /// Only the sizes, which differ.
  case size
}
