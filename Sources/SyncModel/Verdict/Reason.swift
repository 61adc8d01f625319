/// Why a target is fresh.
package enum FreshReason: Sendable, Equatable {
  /// `-o` names the target.
  case assumedFresh
  /// It is as seed left it, and this shard does not ask its source.
  case leftToSeed
  /// Edited locally, and `local_changes: keep` leaves it so.
  case keptModified
  /// The target is made from others, and none of them has changed.
  case inputsUnchanged
  /// The source confirmed the version with these validators.
  case notModified(Validators)
  /// The local bytes have the published digest.
  case digestMatches(DigestAlgorithm, HexDigest)
  /// A digest that the server sends is the recorded one of the download.
  case serverDigestMatches(ServerDigest)
  /// Its sha256 is that of the lock.
  case asLocked(HexDigest)
  /// The last successful check is younger than `period`; `age` is the time since then.
  case withinInterval(age: Duration, period: Duration)
  /// The list has the recorded version of the entry.
  case listUnchanged(RevisionEvidence)
  /// The entry has left its list, and its output stays.
  case listGone
  /// The same; it was edited, so that nothing removes it.
  case listGoneEdited
  /// The entry has left its list, and its output is removed only once everything else has succeeded; the target has failed
  /// that is named.
  case listGoneWaits(for: TargetName?)
  /// The entry has left its list, and its output is missing.
  case listGoneMissing
  /// The rule is `once`, and the output exists.
  case present
  /// `--touch` has recorded the output as it is.
  case touched

  /// As reports show it; some reasons share one, and some share theirs with a stale one.
  package var code: ReasonCode {
    switch self {
    case .assumedFresh, .leftToSeed: .assumedFresh
    case .keptModified: .outputModified
    case .inputsUnchanged: .inputsUnchanged
    case .notModified: .notModified
    case .digestMatches, .serverDigestMatches: .digestMatches
    case .asLocked: .pinned
    case .withinInterval: .withinInterval
    case .listUnchanged: .listUnchanged
    case .listGone, .listGoneEdited, .listGoneWaits, .listGoneMissing: .listGone
    case .present, .touched: .present
    }
  }
}

/// Why a target is stale.
package enum StaleReason: Sendable, Equatable {
  /// There is no output.
  case outputMissing
  /// A part of the folder is missing.
  case folderIncomplete(FolderGap)
  /// Edited locally, and may be overwritten; `actual` is `nil` if the digest was not needed. A folder has no sha256: both
  /// are `nil`.
  case outputModified(recorded: HexDigest?, actual: HexDigest?)
  /// `-B`, or `-W` names it.
  case forced
  /// The target's own entry in the manifest changed; never empty.
  case definitionChanged([FieldChange])
  /// Dependencies have another content than the target was made with; never empty.
  case dependencyChanged([DependencyChange])
  /// Nothing is recorded, and the rule cannot decide from the file itself.
  case neverSynced
  /// `recorded` is `nil` if there is no validator for a question.
  case validatorChanged(recorded: Validators?, observed: Validators?)
  /// `recorded` is a Last-Modified, or the output's own time if there is no record.
  case newerRemote(recorded: String?, observed: String?)
  /// `actual` is `nil` if the local file's digest is unknown.
  case digestDiffers(DigestAlgorithm, expected: HexDigest, actual: HexDigest?)
  /// The sha256 is not that of the lock.
  case notAsLocked(locked: HexDigest, actual: HexDigest)
  /// The list has another version of the entry; `was` and `now` are as ``ListRevision/text(of:)`` has them.
  case listChanged(RevisionEvidence, was: String?, now: String?)
  /// The entry has left its list, and its output is to be removed.
  case listGone
  /// The rule is `always`.
  case always

  /// ``outputModified(recorded:actual:)`` of `output`, of which the digests are.
  package static func edited(_ output: Output, recorded: HexDigest, actual: HexDigest?) -> StaleReason {
    output.isFolder
      ? .outputModified(recorded: nil, actual: nil) : .outputModified(recorded: recorded, actual: actual)
  }

  /// As reports show it; some reasons share one, and some share theirs with a fresh one.
  package var code: ReasonCode {
    switch self {
    case .outputMissing, .folderIncomplete: .outputMissing
    case .outputModified: .outputModified
    case .forced: .forced
    case .definitionChanged: .definitionChanged
    case .dependencyChanged: .dependencyChanged
    case .neverSynced: .neverSynced
    case .validatorChanged: .validatorChanged
    case .newerRemote: .newerRemote
    case .digestDiffers: .digestDiffers
    case .notAsLocked: .drifted
    case .listChanged: .listChanged
    case .listGone: .listGone
    case .always: .always
    }
  }
}

/// A changed field of a definition.
package struct FieldChange: Sendable, Equatable {
  /// Its ``DefinitionField/name``.
  package var field: String
  /// `nil` if there was none.
  package var was: String?
  /// `nil` if there is none now.
  package var now: String?

  /// `was` and `now` differ; at least one of them is not `nil`.
  package init(field: String, was: String?, now: String?) {
    self.field = field
    self.was = was
    self.now = now
  }
}

/// A dependency whose content is not what the target was made with.
package struct DependencyChange: Sendable, Equatable {
  /// Never ``DependencyKind/after``, whose changes make nothing stale.
  package var kind: DependencyKind
  /// The dependency's name.
  package var name: TargetName
  /// `nil` if nothing was recorded.
  package var was: HexDigest?
  /// `nil` if it cannot be known yet: `-W` treats it as changed, or in a plan it would be updated first.
  package var now: HexDigest?

  /// `was` and `now` are sha256 digests; see the fields for `nil`.
  package init(kind: DependencyKind, name: TargetName, was: HexDigest?, now: HexDigest?) {
    self.kind = kind
    self.name = name
    self.was = was
    self.now = now
  }
}

/// A verdict's reason, fresh or stale.
package enum Reason: Sendable, Equatable {
  /// Why it is fresh.
  case fresh(FreshReason)
  /// Why it is stale.
  case stale(StaleReason)

  /// As reports show it; the code alone need not tell which of the two it is.
  package var code: ReasonCode {
    switch self {
    case .fresh(let reason): reason.code
    case .stale(let reason): reason.code
    }
  }
}
