/// The codes of a verdict, as plan, JSON and `explain` show them (contract, section 3).
package enum ReasonCode: String, Sendable, CaseIterable {
  /// `-o` names the target.
  case assumedFresh = "assumed-fresh"
  /// The output does not exist.
  case outputMissing = "output-missing"
  /// The output was edited.
  case outputModified = "output-modified"
  /// `-B`, or `-W` names the target.
  case forced
  /// The URL, steps or output changed in the manifest.
  case definitionChanged = "definition-changed"
  /// A dependency has another content.
  case dependencyChanged = "dependency-changed"
  /// Nothing is recorded for the target.
  case neverSynced = "never-synced"
  /// No dependency has changed; for a target with `from`.
  case inputsUnchanged = "inputs-unchanged"
  /// The source confirmed the recorded version.
  case notModified = "not-modified"
  /// The source has another ETag.
  case validatorChanged = "validator-changed"
  /// The source has another date.
  case newerRemote = "newer-remote"
  /// The digest is that of the local bytes.
  case digestMatches = "digest-matches"
  /// The digest is another one than that of the local bytes.
  case digestDiffers = "digest-differs"
  /// The output is as locked.
  case pinned
  /// The output is not as locked.
  case drifted
  /// The last successful check is recent enough.
  case withinInterval = "within-interval"
  /// The output exists, and the rule is `once`.
  case present
  /// The list has the recorded version of the entry.
  case listUnchanged = "list-unchanged"
  /// The list has another version of the entry.
  case listChanged = "list-changed"
  /// The entry has left its list.
  case listGone = "list-gone"
  /// The rule is `always`.
  case always
}
