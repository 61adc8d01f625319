import SyncModel

/// The one line that says how everything stands.
package enum SummaryText {
  /// For a run or a plan in which nothing is to be done; `first` is the name of any of the targets.
  package static func allFresh(_ count: Int, first: TargetName?, secrets: SecretMask = SecretMask()) -> String
  {
    switch (count, first) {
    case (0, _): "nothing to do: no target is selected"
    case (1, let name?): "\(TextWidth.cutMiddle(secrets.shown(name), to: 60)) is up to date"
    default: "all \(count) targets are up to date"
    }
  }

  /// `2 updated, 998 fresh, 1 failed, 0 skipped`.
  static func counts(_ results: [TargetResult]) -> String {
    Outcome.allCases.map { outcome in "\(results.count { $0.outcome == outcome }) \(outcome.rawValue)" }
      .joined(separator: ", ")
  }
}
