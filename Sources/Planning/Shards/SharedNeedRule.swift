import SyncModel

/// What a shard makes of the verdict on a target that seed brings up to date (contract, section 13).
///
/// The shard takes the output as seed left it. It asks no server, so that all shards use one version, and nobody is
/// asked by each of them; whatever the local facts show to be out of date is refused.
enum SharedNeedRule {
  static func judged(_ decision: Decision, seed: Shard) -> Decision {
    var judged = decision
    switch decision.verdict {
    case .undecided(.source), .undecided(.expectedDigest), .stale(.always):
      judged.verdict = .fresh(.leftToSeed)
    case .stale(let reason): judged.verdict = .refused(.needsSeed(seed, why: reason.code))
    case .fresh, .undecided(.outputDigests), .dependsOn, .refused: break
    }
    return judged
  }
}
