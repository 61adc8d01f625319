/// How a manifest writes `targets` if no line can be put in there.
package enum TargetsForm: Sendable, Equatable {
  /// `targets`, or the whole manifest, is written in braces, as in JSON.
  case braces
  /// The value is an alias, so its lines are elsewhere.
  case alias
  /// The value is something else than lines with keys.
  case other
}
