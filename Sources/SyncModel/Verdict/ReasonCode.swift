/// The codes of a verdict, as plan, JSON and `explain` show them (contract, section 3).
package enum ReasonCode: String, Sendable, CaseIterable {
  case assumedFresh = "assumed-fresh"
  case outputMissing = "output-missing"
  case outputModified = "output-modified"
  case forced
  case definitionChanged = "definition-changed"
  case dependencyChanged = "dependency-changed"
  case neverSynced = "never-synced"
  case inputsUnchanged = "inputs-unchanged"
  case notModified = "not-modified"
  case validatorChanged = "validator-changed"
  case newerRemote = "newer-remote"
  case digestMatches = "digest-matches"
  case digestDiffers = "digest-differs"
  case withinInterval = "within-interval"
  case present
  case always
}
