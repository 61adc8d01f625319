package import SyncModel

/// The rules' answer for one target, by the facts so far.
package enum Verdict: Sendable, Equatable {
  /// Nothing needs to be done.
  case fresh(FreshReason)
  /// The output must be fetched or made.
  case stale(StaleReason)
  /// A fact is missing; learn it, add it to the ``FreshnessQuestion`` and ask again.
  case undecided(Probe)
  /// Planning only: fresh by its own rules, but these dependencies would be updated first.
  case dependsOn([TargetName])
  /// Must not be touched; the run counts it as failed.
  case refused(FailureCause)
}

/// A fact that a verdict waits for.
package enum Probe: Sendable, Equatable {
  /// Read the output and report these digests (always including sha256).
  case outputDigests(Set<DigestAlgorithm>)
  /// Tell the digest that the freshness rule names: fetch the sidecar or read the entry.
  case expectedDigest(DigestAlgorithm, DigestSource)
  /// Ask the source whether it still has what these validators name.
  ///
  /// In a run the question is the download itself, made conditional.
  case source(Validators)
}
