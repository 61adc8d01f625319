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
  /// Edited locally, and may be overwritten; `nil` if the digest was not needed.
  case outputModified(recorded: HexDigest, actual: HexDigest?)
  case forced
  case definitionChanged([FieldChange])
  case dependencyChanged([DependencyChange])
  case neverSynced
  /// `recorded` is `nil` if there is no validator for a question.
  case validatorChanged(recorded: Validators?, observed: Validators?)
  /// `recorded` is a Last-Modified, or the output's own time if there is no record.
  case newerRemote(recorded: String?, observed: String?)
  /// `actual` is `nil` if the local file's digest is unknown.
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

/// A changed field of a definition.
package struct FieldChange: Sendable, Equatable {
  /// Its ``DefinitionField/name``.
  package var field: String
  /// `nil` if there was none.
  package var was: String?
  /// `nil` if there is none now.
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
  /// `nil` if nothing was recorded.
  package var was: HexDigest?
  /// `nil` if it cannot be known yet: `-W` treats it as changed, or in a plan it would be updated first.
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

  /// As reports show it; the code alone need not tell which of the two it is.
  package var code: ReasonCode {
    switch self {
    case .fresh(let reason): reason.code
    case .stale(let reason): reason.code
    }
  }
}
