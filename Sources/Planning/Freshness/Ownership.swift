import SyncModel

/// Whose the file at an output's path is: line 3 of the table in SPEC section 3.
enum Ownership: Equatable {
  /// These bytes are what the record says; whether the record's signature must be renewed.
  case ours(TargetRecord, needsRenewal: Bool)
  /// Somebody changed it since syncmake wrote what the record says.
  case edited(TargetRecord, expected: HexDigest, actual: HexDigest)
  /// Size and times differ, so these digests are needed to tell.
  case unread(Set<DigestAlgorithm>)
  /// Nothing is recorded for this path; the record, if any, is the target's from another output.
  case nobodyKnows(elsewhere: TargetRecord?)

  /// Whose the file with `signature` is, at the path of the question's target.
  static func of(_ question: FreshnessQuestion, _ signature: FileSignature) -> Ownership {
    let target = question.target
    // A record without the digest that everything is compared by is damaged: as good as none.
    let record = question.record.flatMap { $0.content.sha256 == nil ? nil : $0 }
    let here = record.flatMap { $0.output == target.output ? $0 : nil }
    let pending = question.pending.flatMap { $0.output == target.output ? $0 : nil }
    guard here != nil || pending != nil else { return .nobodyKnows(elsewhere: record) }
    if let here, here.signature == signature { return .ours(here, needsRenewal: false) }

    guard let actual = question.facts.outputDigests?[.sha256] else {
      // Without a record here the rule may come to decide from the file alone.
      let candidates = here == nil ? [pending, nil] : pending == nil ? [here] : [here, pending]
      return .unread(RuleVerdict.outputDigests(of: target, recordedIn: candidates).union([.sha256]))
    }
    if let here, here.content.sha256 == actual { return .ours(here, needsRenewal: true) }
    if let pending, pending.content.sha256 == actual { return .ours(pending, needsRenewal: true) }
    if let here, let expected = here.content.sha256 {
      return .edited(here, expected: expected, actual: actual)
    }
    if let pending, let expected = pending.content.sha256, pending.signature.inode == signature.inode {
      return .edited(pending, expected: expected, actual: actual)
    }
    // Only an intention is known and another file stands here: the rename never came. What it would have
    // replaced was nobody's then, and refusing it now would need help after a crash (SPEC section 6).
    return .nobodyKnows(elsewhere: record)
  }
}
