/// What a freshness rule compares and sets; one table for every module.
package struct FreshnessTraits: Sendable, Equatable {
  /// What the rule compares after any interval.
  package enum Comparison: Sendable, Equatable {
    /// Validators: the ETag first, else the date.
    case validators
    /// The source's date first.
    case date
    /// A published digest.
    case digest
    /// Nothing: the output is fresh as soon as it is there.
    case presence
    /// Nothing: the target is always stale.
    case nothing
  }

  /// The one comparison that decides; the other traits follow from it.
  package var compares: Comparison
  /// Whether the output gets its source's time (contract, section 3).
  package var setsTime: Bool { compares == .date }
  /// Whether a reply without any validator leaves the next run nothing to compare.
  package var needsValidators: Bool { compares == .validators || compares == .date }
  /// Whether the rule is met without asking the source.
  package var isMetLocally: Bool { compares == .presence }
  /// Whether every run gets the bytes from the source anew: neither a cache nor an earlier run has them.
  package var wantsNewBytes: Bool { compares == .nothing }
}

extension FreshnessRule {
  /// The row of this rule in the table of traits; an interval has the row of its inner rule.
  package var traits: FreshnessTraits {
    switch innermost {
    case .etag: FreshnessTraits(compares: .validators)
    case .mtime: FreshnessTraits(compares: .date)
    case .digest: FreshnessTraits(compares: .digest)
    case .once: FreshnessTraits(compares: .presence)
    case .always, .interval: FreshnessTraits(compares: .nothing)
    }
  }

  /// Whether every check asks the source, and only its validators answer: no interval passes first.
  package var holdsByValidators: Bool {
    if case .interval = self { false } else { traits.needsValidators }
  }

  /// The rule for `update`, which takes what the source has now: `once` and an interval would not ask it.
  package var askingNow: FreshnessRule { traits.isMetLocally ? .etag : innermost }
}

extension Target {
  /// Whether only validators decide that the target is fresh.
  package var needsValidators: Bool { freshness?.traits.needsValidators ?? false }

  /// The freshness rule's digest, if it has one.
  package var digestRule: DigestRule? {
    if case .digest(let rule)? = freshness?.innermost { rule } else { nil }
  }
}
