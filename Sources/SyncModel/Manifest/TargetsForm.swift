/// How a manifest writes `targets` if no line can be put in there.
package enum TargetsForm: Sendable, Equatable {
  case braces
  /// The value is an alias, so its lines are elsewhere.
  case alias
  case other
}
