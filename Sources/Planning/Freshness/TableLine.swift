/// A line of the table in the contract, section 3, by its question.
package enum TableLine: Int, Sendable, Comparable, CaseIterable {
  /// `-o` names the target.
  case assumedFresh = 1
  /// Whether the output is there, and can be one.
  case output
  /// Whether the output was edited.
  case edits
  /// `-B`, or `-W` names the target.
  case forced
  /// Whether the definition is the recorded one.
  case definition
  /// Whether the dependencies have the content with which the target was made.
  ///
  /// Earlier lines need no dependencies, so an unreadable list does not fail a target that does not need it.
  case dependencies
  /// The rule, if nothing is recorded.
  case ruleWithoutRecord
  /// The rule, if there is a record.
  case rule

  /// In the table's order: the smaller line is asked first.
  package static func < (a: TableLine, b: TableLine) -> Bool { a.rawValue < b.rawValue }
}
