/// A line of the table in the contract, section 3, by what it asks.
package enum TableLine: Int, Sendable, Comparable, CaseIterable {
  /// `-o` names the target.
  case assumedFresh = 1
  /// Whether the output is there, and can be one.
  case output
  /// Whether somebody edited the output.
  case edits
  /// `-B`, or `-W` names the target.
  case forced
  /// Whether the definition is the recorded one.
  case definition
  /// Whether the dependencies hold what the target was made with.
  ///
  /// The lines before this one ask nothing of dependencies, so that a list which cannot be read fails no target that
  /// does not need it.
  case dependencies
  /// The rule, if nothing is recorded.
  case ruleWithoutRecord
  /// The rule, if there is a record.
  case rule

  package static func < (a: TableLine, b: TableLine) -> Bool { a.rawValue < b.rawValue }
}
