/// Why a target is fresh.
package enum FreshReason: Sendable, Equatable {
  case assumedFresh
  /// Edited locally, and `local_changes: keep` leaves it so.
  case keptModified
  case inputsUnchanged
  case notModified(Validators)
  case digestMatches(DigestAlgorithm, HexDigest)
  /// A digest that the server sends is the recorded one of the download.
  case serverDigestMatches(ServerDigest)
  /// Its sha256 is that of the lock.
  case asLocked(HexDigest)
  case withinInterval(age: Duration, period: Duration)
  case present

  /// As reports show it; some reasons share one, and some share theirs with a stale one.
  package var code: ReasonCode {
    switch self {
    case .assumedFresh: .assumedFresh
    case .keptModified: .outputModified
    case .inputsUnchanged: .inputsUnchanged
    case .notModified: .notModified
    case .digestMatches, .serverDigestMatches, .asLocked: .digestMatches
    case .withinInterval: .withinInterval
    case .present: .present
    }
  }
}

/// Why a target is stale.
package enum StaleReason: Sendable, Equatable {
  case outputMissing
  /// Edited locally, and it may be overwritten; `nil` where the digest was not needed.
  case outputModified(recorded: HexDigest, actual: HexDigest?)
  case forced
  case definitionChanged([FieldChange])
  case dependencyChanged([DependencyChange])
  case neverSynced
  /// `recorded` is `nil` where no validator is known to ask with.
  case validatorChanged(recorded: Validators?, observed: Validators?)
  /// `recorded` is a Last-Modified, or the output's own time where nothing is recorded.
  case newerRemote(recorded: String?, observed: String?)
  /// `actual` is `nil` where the digest of what is here cannot be known.
  case digestDiffers(DigestAlgorithm, expected: HexDigest, actual: HexDigest?)
  /// The sha256 is not that of the lock.
  case notAsLocked(locked: HexDigest, actual: HexDigest)
  case always

  /// As reports show it; some reasons share one, and some share theirs with a fresh one.
  package var code: ReasonCode {
    switch self {
    case .outputMissing: .outputMissing
    case .outputModified: .outputModified
    case .forced: .forced
    case .definitionChanged: .definitionChanged
    case .dependencyChanged: .dependencyChanged
    case .neverSynced: .neverSynced
    case .validatorChanged: .validatorChanged
    case .newerRemote: .newerRemote
    case .digestDiffers, .notAsLocked: .digestDiffers
    case .always: .always
    }
  }
}

/// A field of a definition that is not what it was.
package struct FieldChange: Sendable, Equatable {
  /// Its ``DefinitionField/name``.
  package var field: String
  /// `nil` where there was none.
  package var was: String?
  /// `nil` where there is none now.
  package var now: String?

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
  package var name: TargetName
  /// `nil` where nothing was recorded.
  package var was: HexDigest?
  /// `nil` where nobody can know it yet: `-W` asks to take it as changed, or in a plan it would be updated first.
  package var now: HexDigest?

  package init(kind: DependencyKind, name: TargetName, was: HexDigest?, now: HexDigest?) {
    self.kind = kind
    self.name = name
    self.was = was
    self.now = now
  }
}

/// A verdict's reason, fresh or stale.
package enum Reason: Sendable, Equatable {
  case fresh(FreshReason)
  case stale(StaleReason)

  /// As reports show it; which of the two it is, the code alone need not tell.
  package var code: ReasonCode {
    switch self {
    case .fresh(let reason): reason.code
    case .stale(let reason): reason.code
    }
  }
}
