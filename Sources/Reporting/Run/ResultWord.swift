package import SyncModel

/// The word for a finished target's result.
///
/// JSON has the four words of ``Outcome``; `updated` and `fresh` each cover several of these.
package enum ResultWord: String, Sendable, CaseIterable {
  /// The output exists now and did not exist before.
  case new
  /// The output's content changed.
  case updated
  /// The output is unchanged: it is fresh, or the download has the same bytes.
  case unchanged
  /// The output was edited, and the edit stays (`local_changes: keep`, or its entry has left its list).
  case kept
  /// The output was removed: its entry has left its list.
  case removed
  /// The target failed, or was not looked at because of something else.
  case failed, skipped

  /// The word for a result.
  package init(_ result: TargetResult) {
    switch (result.outcome, result.reason) {
    case (.failed, _): self = .failed
    case (.skipped, _): self = .skipped
    case (.fresh, .fresh(.keptModified)?), (.fresh, .fresh(.listGoneEdited)?): self = .kept
    case (.fresh, _): self = .unchanged
    case (.updated, .stale(.listGone)?): self = .removed
    case (.updated, _) where result.isUnchanged: self = .unchanged
    case (.updated, .stale(.outputMissing)?): self = .new
    case (.updated, _): self = .updated
    }
  }

  var paint: Paint {
    switch self {
    case .new, .updated: .green
    case .unchanged: .faint
    case .kept, .removed, .skipped: .yellow
    case .failed: .red
    }
  }
}
