package import SyncModel

/// The outputs of a GitHub step, by which later steps know what a run changed.
///
/// `changed` is `true` or `false`; `updated` and `failed` are JSON lists of names, each on one line.
package enum StepOutputs {
  /// The outputs of a run without work.
  package static let allFresh = text(updated: [], failed: [])

  /// The outputs of a finished run; a target whose bytes turned out the same is not in `updated`.
  package static func text(_ end: RunEnd, secrets: SecretMask) -> String {
    let results = end.results.sorted { $0.id < $1.id }
    func names(_ isMeant: (TargetResult) -> Bool) -> [String] {
      results.filter(isMeant).map { secrets.mask($0.name.text) }
    }
    return text(updated: names(\.hasNewContent), failed: names { $0.outcome == .failed })
  }

  private static func text(updated: [String], failed: [String]) -> String {
    """
    changed=\(!updated.isEmpty)
    updated=\(JSONWriter.list(updated))
    failed=\(JSONWriter.list(failed))

    """
  }
}
