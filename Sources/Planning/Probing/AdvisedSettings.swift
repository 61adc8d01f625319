package import SyncModel

/// The additions to a target by a probe's advice, in the manifest's notation.
package struct AdvisedSettings: Sendable, Equatable {
  /// As written after `freshness:`; `nil` if the target already has that rule.
  package var freshness: String?
  /// A `verify` step; `nil` for none.
  package var verify: String?
  /// Whether ``verify`` is after all other steps; else it is before them.
  package var verifiesOutput = false

  /// `target` is the one without the advice, `url` its URL as the manifest is to have it, variables and all.
  package init(_ advice: ProbeAdvice, for target: Target, url: String) {
    // A digest of the file inside is of no use to a target that does not unpack.
    func written(_ finding: SidecarFinding) -> String? {
      if finding.subject == .output, !target.steps.contains(where: \.transforms) { return nil }
      return finding.guess.address(beside: url)
    }
    var rule = advice.rule
    if case .digest(let finding) = rule, written(finding) == nil { rule = .daily }
    switch (rule, target.freshness) {
    case (.etag, .etag?), (.mtime, .mtime?): freshness = nil
    default: freshness = rule.text { written($0) ?? "" }
    }
    if case .digest = rule { return }
    // Existing verify steps are the user's choice.
    guard target.steps.allSatisfy(\.transforms), let sidecar = advice.sidecar,
      case .digest(let algorithm, _) = sidecar.content, let url = written(sidecar)
    else { return }
    verifiesOutput = sidecar.subject == .output
    verify = "verify: {\(algorithm.rawValue): {url: \(YAMLText.quoted(url))}}"
  }
}
