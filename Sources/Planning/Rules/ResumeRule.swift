package import SyncModel

/// From what a download can resume: which bodies are worth keeping, and which question the kept part asks.
package enum ResumeRule {
  /// In bytes: a body up to this size comes in one or two pieces, so that keeping a part of it is not worth two files.
  package static let smallestBody: Int64 = 16 << 10

  /// What a body can be resumed by; `nil` if it cannot be resumed, or is too small.
  ///
  /// - Parameter length: the body's announced length in bytes; `nil` if the server did not announce one.
  package static func facts(
    of validators: Validators, strongValidator: StrongValidator?, length: Int64?, digests: [ServerDigest]
  ) -> PartialFacts? {
    guard let strongValidator, length ?? .max > smallestBody else { return nil }
    return PartialFacts(
      url: validators.url, validator: strongValidator, total: length, lastModified: validators.lastModified,
      digests: digests)
  }

  /// What to do with `offset` bytes that an earlier run left.
  package enum Use: Sendable, Equatable {
    /// Nothing is here: ask for the whole body.
    case none
    /// Ask for the rest.
    case resume(ResumePoint)
    /// The whole body is here: ask only whether the source still has this version.
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

  /// How many bytes the question about a whole body speaks of; `nil` if another host's file must not answer it.
  ///
  /// Bytes that nobody has checked as a whole are not taken for another host's without a digest.
  package static func sizeOfWhole(_ facts: PartialFacts?, offset: Int64, isCheckedByDigest: Bool) -> Int64? {
    isCheckedByDigest && facts?.validator.etag != nil ? offset : nil
  }
}

extension PartialFacts {
  /// What asks whether the source still has this version.
  package var question: Validators {
    switch validator {
    case .etag(let tag): Validators(etag: tag, url: url)
    case .date(let date): Validators(lastModified: date, url: url)
    }
  }
}
