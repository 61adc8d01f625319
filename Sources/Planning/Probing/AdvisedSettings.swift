package import SyncModel

/// What a probe's advice adds to a target, in the manifest's words.
package struct AdvisedSettings: Sendable, Equatable {
  /// As it stands behind `freshness:`; `nil` where the target has that rule without it.
  package var freshness: String?
  /// A `verify` step; `nil` for none.
  package var verify: String?
  /// Whether ``verify`` comes behind all other steps; else it comes before them.
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
    // Steps that look at the bytes by themselves are somebody's own choice.
    guard target.steps.allSatisfy(\.transforms), let sidecar = advice.sidecar,
      case .digest(let algorithm, _) = sidecar.content, let url = written(sidecar)
    else { return }
    verifiesOutput = sidecar.subject == .output
    verify = "verify: {\(algorithm.rawValue): {url: \(YAMLText.quoted(url))}}"
  }
}
