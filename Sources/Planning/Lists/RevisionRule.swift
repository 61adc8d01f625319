package import SyncModel

/// What a list says about the bytes that a target was made from (contract, section 11).
package enum RevisionVerdict: Sendable, Equatable {
  /// They are still those of the list.
  case unchanged(RevisionEvidence)
  /// The list has others.
  case changed(RevisionEvidence)
  /// Nothing that the list says can be compared; the target's freshness rule decides.
  case unknown
}

/// Compares what a list says of an entry with what was recorded of it.
///
/// The best evidence that both sides have decides: the digest, else S3's ETag, else the version, else the time of the
/// last change together with the size. What only one side has says nothing, so that a publisher who begins to state
/// digests, or ceases to, causes no download. Sizes alone prove a change, also of a version whose file was replaced, but
/// never that there is none; a time alone proves nothing, since many lists state when something else about an entry has
/// changed.
package enum RevisionRule {
  /// `recorded` is `nil` if the target was not made from a list. `download` are the known digests of the recorded
  /// download, which serve as if the list had stated them.
  package static func verdict(
    _ listed: ListRevision, recorded: ListRevision?, download: [ListedDigest] = []
  ) -> RevisionVerdict {
    if let verdict = compare(listed.digests, (recorded?.digests ?? []) + download) { return verdict }
    guard let recorded else { return .unknown }
    if let listed = listed.entityTag, let recorded = recorded.entityTag {
      return verdict(listed.hasSameBytes(as: recorded), .entityTag)
    }
    let hasOtherSize = listed.size.flatMap { size in recorded.size.map { size != $0 } }
    if let listed = listed.version, let recorded = recorded.version {
      guard hasOtherSize == true, listed.hasSameBytes(as: recorded) else {
        return verdict(listed.hasSameBytes(as: recorded), .version)
      }
      return .changed(.size)
    }
    guard let hasOtherSize else { return .unknown }
    if let listed = listed.updated, let recorded = recorded.updated {
      return verdict(listed == recorded && !hasOtherSize, .updated)
    }
    return hasOtherSize ? .changed(.size) : .unknown
  }

  /// The verdict on what was recorded of a target.
  static func verdict(_ listed: ListRevision, since record: TargetRecord) -> RevisionVerdict {
    verdict(
      listed, recorded: Definition.revision(in: record.definition),
      download: record.download?.digests.map { ListedDigest($0.key, $0.value) } ?? [])
  }

  /// `nil` if no algorithm is on both sides; one that differs is enough for a change.
  private static func compare(_ listed: [ListedDigest], _ known: [ListedDigest]) -> RevisionVerdict? {
    var equal: DigestAlgorithm?
    for digest in listed {
      for other in known where other.algorithm == digest.algorithm {
        guard other.value == digest.value else { return .changed(.digest(digest.algorithm)) }
        equal = max(equal ?? digest.algorithm, digest.algorithm)
      }
    }
    return equal.map { .unchanged(.digest($0)) }
  }

  private static func verdict(_ isSame: Bool, _ evidence: RevisionEvidence) -> RevisionVerdict {
    isSame ? .unchanged(evidence) : .changed(evidence)
  }
}
