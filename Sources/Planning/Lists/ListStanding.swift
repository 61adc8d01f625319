import SyncModel

/// How an entry of a list compares with what is recorded of it; the JSON field `list` (contract, section 11).
package enum ListStanding: String, Sendable, CaseIterable {
  /// Nothing is recorded of it.
  case added = "list-added"
  /// The list has another version.
  case changed = "list-changed"
  /// The list has the recorded version.
  case unchanged = "list-unchanged"

  /// `record` is that of the target's output; the result is `nil` for a target without `list`, and if the list gives only
  /// names.
  init?(_ source: BodySource, _ record: TargetRecord?) {
    guard case .entry(let entry) = source else { return nil }
    guard let record, Definition.entry(in: record.definition)?.key.hasSameBytes(as: entry.key) == true else {
      self = .added
      return
    }
    switch RevisionRule.verdict(entry.revision, since: record) {
    case .unchanged: self = .unchanged
    case .changed: self = .changed
    case .unknown: return nil
    }
  }
}
