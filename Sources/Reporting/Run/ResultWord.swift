package import SyncModel

/// What became of a finished target, in the word that people read.
///
/// JSON has the four words of ``Outcome``, of which `updated` and `fresh` each hold more than one of these.
package enum ResultWord: String, Sendable, CaseIterable {
  /// There is an output now, and there was none.
  case new
  /// The output's content changed.
  case updated
  /// The output is as it was: it is fresh, or what was fetched is the same.
  case unchanged
  /// The output was edited, and the edit stays (`local_changes: keep`).
  case kept
  case failed, skipped

  /// Of a result.
  package init(_ result: TargetResult) {
    switch (result.outcome, result.reason) {
    case (.failed, _): self = .failed
    case (.skipped, _): self = .skipped
    case (.fresh, .fresh(.keptModified)?): self = .kept
    case (.fresh, _): self = .unchanged
    case (.updated, _) where result.isUnchanged: self = .unchanged
    case (.updated, .stale(.outputMissing)?): self = .new
    case (.updated, _): self = .updated
    }
  }

  var paint: Paint {
    switch self {
    case .new, .updated: .green
    case .unchanged: .faint
    case .kept, .skipped: .yellow
    case .failed: .red
    }
  }
}
