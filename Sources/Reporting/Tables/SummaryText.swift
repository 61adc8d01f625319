import SyncModel

/// The one line that says how everything stands.
enum SummaryText {
  /// For a run or a plan in which nothing is to be done.
  static func allFresh(_ names: [TargetName], secrets: SecretMask) -> String {
    switch names.count {
    case 0: "nothing to do: no target is selected"
    case 1: "\(TextWidth.cutMiddle(secrets.shown(names[0]), to: 60)) is up to date"
    default: "all \(names.count) targets are up to date"
    }
  }

  /// `2 updated, 998 fresh, 1 failed, 0 skipped`.
  static func counts(_ results: [TargetResult]) -> String {
    Outcome.allCases.map { outcome in "\(results.count { $0.outcome == outcome }) \(outcome.rawValue)" }
      .joined(separator: ", ")
  }
}
