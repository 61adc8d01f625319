package import SyncModel

/// Whether an output that an earlier `update` has withheld can be used by the next one (contract, section 8).
package enum WithheldRule {
  /// What the next update does with the withheld output.
  package enum Use: Sendable, Equatable {
    /// It is what the target is to become; no server need be asked.
    case take
    /// It is, if the source still has what these validators name.
    case ask(Validators)
    /// It is of no use.
    case drop
  }

  /// `question` has the target's dependencies as far as they are known.
  package static func use(_ withheld: TargetRecord, for question: FreshnessQuestion) -> Use {
    guard question.directive != .force, withheld.output == question.target.path,
      Definition.changes(from: withheld.definition, to: question.definition).isEmpty,
      DependencyComparison(question.dependencies, with: withheld, of: question.target).changes.isEmpty
    else { return .drop }
    if let pin = question.pin {
      let isPinned =
        withheld.content.sha256 == pin.output.sha256
        && (pin.download == nil || withheld.download?.sha256 == pin.download?.sha256)
      return isPinned ? .take : .drop
    }
    guard let rule = question.target.freshness else { return .take }
    guard !rule.traits.wantsNewBytes, withheld.download != nil else { return .drop }
    if let digest = question.target.digestRule, let expected = question.facts.expected(by: digest) {
      return withheld.digest(comparedBy: digest) == expected ? .take : .drop
    }
    guard let validators = withheld.validators, !validators.isEmpty else { return .drop }
    return .ask(validators)
  }
}
