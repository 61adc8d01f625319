package import SyncModel

/// From what a download can resume: which bodies are kept, and which question a kept part needs.
package enum ResumeRule {
  /// In bytes: a body up to this size comes in one or two pieces, so a partial download is not worth two files.
  package static let smallestBody: Int64 = 16 << 10

  /// The facts by which a body can be resumed; `nil` if it cannot be, or is too small.
  ///
  /// - Parameter length: the body's announced length in bytes; `nil` if unknown.
  package static func facts(
    of validators: Validators, strongValidator: StrongValidator?, length: Int64?, digests: [ServerDigest]
  ) -> PartialFacts? {
    guard let strongValidator, let url = validators.url, length ?? .max > smallestBody else { return nil }
    return PartialFacts(
      url: url, validator: strongValidator, total: length, lastModified: validators.lastModified,
      digests: digests)
  }

  /// The use of `offset` bytes of an earlier run.
  package enum Use: Sendable, Equatable {
    /// There is nothing: request the whole body.
    case none
    /// Ask for the rest.
    case resume(ResumePoint)
    /// The body is complete: ask only whether the source still has this version.
    case confirm(Validators)
  }

  /// Chooses what the first request asks; `offset` counts the bytes that the checkpoints prove.
  package static func use(_ facts: PartialFacts?, offset: Int64, isCheckedByDigest: Bool) -> Use {
    guard let facts, offset > 0 else { return .none }
    if facts.total == offset { return .confirm(facts.question) }
    return .resume(
      ResumePoint(
        offset: offset, total: facts.total, validator: facts.validator, lastModified: facts.lastModified,
        url: facts.url, isCheckedByDigest: isCheckedByDigest))
  }

  /// The size of the complete body in the question; `nil` if another host's file must not answer it.
  ///
  /// Bytes that were not checked as a whole are not taken for another host's without a digest.
  package static func sizeOfWhole(_ facts: PartialFacts?, offset: Int64, isCheckedByDigest: Bool) -> Int64? {
    isCheckedByDigest && facts?.validator.etag != nil ? offset : nil
  }
}

extension PartialFacts {
  /// The conditions that ask whether the source still has this version.
  package var question: Validators {
    switch validator {
    case .etag(let tag): Validators(etag: tag, url: url)
    case .date(let date): Validators(lastModified: date, url: url)
    }
  }
}
