/// How to tell that a target is stale (contract, section 3).
package indirect enum FreshnessRule: Sendable, Equatable {
  case etag
  case mtime
  case digest(DigestRule)
  /// `then` decides once the last successful check is as old as `period`; it is never an interval itself.
  case interval(period: Duration, then: FreshnessRule)
  case once
  case always

  /// The rule that decides when any interval has passed.
  package var innermost: FreshnessRule {
    if case .interval(_, let then) = self { return then.innermost }
    return self
  }
}

/// A rule that compares a published digest with the local file's.
package struct DigestRule: Sendable, Equatable {
  package var algorithm: DigestAlgorithm
  package var expected: DigestSource
  package var of: Subject

  /// Which bytes the digest speaks of.
  package enum Subject: String, Sendable, CaseIterable {
    case download, output
  }

  package init(algorithm: DigestAlgorithm, expected: DigestSource, of: Subject = .download) {
    self.algorithm = algorithm
    self.expected = expected
    self.of = of
  }
}
