/// How to tell that a target is stale (contract, section 3).
package indirect enum FreshnessRule: Sendable, Equatable {
  /// The server confirms the recorded ETag or, without one, the recorded Last-Modified.
  case etag
  /// The source's time is the recorded one; without a record it is not later than the output's.
  case mtime
  /// The digest of the local bytes is the published one.
  case digest(DigestRule)
  /// `then` decides once the last successful check is as old as `period`; it is never an interval itself.
  case interval(period: Duration, then: FreshnessRule)
  /// The output exists.
  case once
  /// Never fresh.
  case always

  /// The rule that decides when any interval has passed.
  package var innermost: FreshnessRule {
    if case .interval(_, let then) = self { return then.innermost }
    return self
  }
}

/// A rule that compares a published digest with the local file's.
package struct DigestRule: Sendable, Equatable {
  /// The algorithm of ``expected``.
  package var algorithm: DigestAlgorithm
  /// Where the published digest is found.
  package var expected: DigestSource
  /// The bytes that are compared.
  package var of: Subject

  /// Which bytes the digest speaks of.
  package enum Subject: String, Sendable, CaseIterable {
    /// The bytes as they came, or the bytes after the last step.
    case download, output

    /// Of the two, what it means.
    package func among<Content>(download: Content, output: Content) -> Content {
      self == .download ? download : output
    }
  }

  /// The length of a literal `expected` must be that of `algorithm`.
  package init(algorithm: DigestAlgorithm, expected: DigestSource, of: Subject = .download) {
    self.algorithm = algorithm
    self.expected = expected
    self.of = of
  }
}
