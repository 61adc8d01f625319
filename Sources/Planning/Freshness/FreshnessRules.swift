import SyncModel

/// The table of the contract, section 3, line by line.
///
/// A pin (contract, section 8) replaces the rule. If the output matches the lock, nothing else is checked: an edit
/// or a changed definition cannot make it wrong. Only `-B` and `-W` come first, since they explicitly request a
/// fetch, `-W` also for dependents.
package enum FreshnessRules {
  /// The decision on the question's target, as far as the facts allow.
  ///
  /// While the verdict is ``Verdict/undecided(_:)``, find the fact, add it to the question's facts and call again:
  /// at most three facts are requested, each once.
  package static func verdict(_ question: FreshnessQuestion) -> Decision {
    if question.directive == .assumeFresh {
      return Decision(.fresh(.assumedFresh), line: .assumedFresh, record: question.record)
    }
    switch (question.output, ownership(question)) {
    case (.incomplete(let gap), _):
      return Decision(.stale(.folderIncomplete(gap)), line: .output, record: question.record)
    case (.missing, _), (_, .missing):
      return Decision(.stale(.outputMissing), line: .output, record: question.record)
    case (.unusable(let fault), _):
      let cause = FailureCause.outputUnwritable(path: question.target.path.text, fault)
      return Decision(.refused(cause), line: .output, record: question.record)
    case (.file, .needsDigest(let candidates)):
      let digests = RuleVerdict.outputDigests(of: question.target, recordedIn: candidates).union([.sha256])
      return Decision(.undecided(.outputDigests(digests)), line: .edits, record: question.record)
    case (.file, .edited(_, _, let actual)) where isAsLocked(question, actual):
      return asLocked(question, record: nil)
    case (.file(let signature), .edited(_, _, let actual?)) where actual == question.lockedOutput:
      // Whoever wrote the bytes that the lock has, they are no edit. The record is of others.
      return afterEdits(question, nil, signature, actual)
    case (.file, .edited(let record, let expected, let actual)):
      let verdict = editVerdict(question, expected: expected, actual: actual)
      return Decision(verdict, line: .edits, record: record)
    case (.file(let signature), .ours(let record, let needsRenewal)):
      var decision =
        isAsLocked(question, record.content.sha256)
        ? asLocked(question, record: record) : afterEdits(question, record, signature, record.content.sha256)
      decision.recordNeedsRenewal = needsRenewal
      return decision
    case (.file, .unknown) where question.pin != nil && question.facts.outputDigests == nil:
      // Before any dependency is looked at: perhaps nothing of them matters.
      return Decision(.undecided(.outputDigests([.sha256])), line: .edits, record: nil)
    case (.file, .unknown) where question.hasOtherNames && question.facts.outputDigests == nil:
      let digests = RuleVerdict.outputDigests(of: question.target, recordedIn: [nil]).union([.sha256])
      return Decision(.undecided(.outputDigests(digests)), line: .edits, record: nil)
    case (.file, .unknown) where isAsLocked(question, question.facts.outputDigests?[.sha256]):
      return asLocked(question, record: nil)
    case (.file, .unknown) where question.earlierEdits != nil && policy(question) != .overwrite:
      // In a folder, what is kept and what is unpacked would not go together.
      let keeps = policy(question) == .keep && !question.target.output.isFolder
      let verdict = keeps ? .fresh(.keptModified) : question.earlierEdits.map(Verdict.refused)
      return Decision(verdict ?? .stale(.neverSynced), line: .edits, record: nil)
    case (.file(let signature), .unknown):
      // The record, if any, is that of the target's previous output.
      let elsewhere = question.record.flatMap { $0.isDamaged ? nil : $0 }
      return afterEdits(question, elsewhere, signature, question.facts.outputDigests?[.sha256])
    }
  }

  /// Whether only the lock matters: the output has the sha256 `here`, and that is the locked one.
  private static func isAsLocked(_ question: FreshnessQuestion, _ here: HexDigest?) -> Bool {
    guard let pin = question.pin, question.directive != .force, here == pin.output.sha256 else {
      return false
    }
    return !question.dependencies.contains { $0.kind != .after && $0.content == .takenAsChanged }
  }

  private static func asLocked(_ question: FreshnessQuestion, record: TargetRecord?) -> Decision {
    guard let pin = question.pin else {
      return Decision(.stale(.neverSynced), line: .ruleWithoutRecord, record: record)
    }
    return Decision(
      .fresh(.asLocked(pin.output.sha256)), line: record == nil ? .ruleWithoutRecord : .rule, record: record)
  }

  /// Line 3: whose the file is.
  static func ownership(_ question: FreshnessQuestion) -> Ownership {
    Ownership.of(
      question.output, at: question.target.path, record: question.record, pending: question.pending,
      sha256: question.facts.outputDigests?[.sha256])
  }

  private static func policy(_ question: FreshnessQuestion) -> LocalChanges {
    question.overwritesEdits ? .overwrite : question.target.localChanges
  }

  private static func editVerdict(
    _ question: FreshnessQuestion, expected: HexDigest, actual: HexDigest?
  ) -> Verdict {
    switch policy(question) {
    case .refuse: .refused(.outputModified(expected: expected, actual: actual))
    case .keep: .fresh(.keptModified)
    case .overwrite: .stale(.edited(question.target.output, recorded: expected, actual: actual))
    }
  }

  /// Lines 4 to 8; `record` may belong to another output, which line 5 then reports. `here` is the output's sha256,
  /// if known.
  private static func afterEdits(
    _ question: FreshnessQuestion, _ record: TargetRecord?, _ signature: FileSignature, _ here: HexDigest?
  ) -> Decision {
    if question.directive == .force { return Decision(.stale(.forced), line: .forced, record: record) }
    if let record {
      let changes = definitionChanges(question, record)
      if !changes.isEmpty {
        return Decision(.stale(.definitionChanged(changes)), line: .definition, record: record)
      }
    }
    let dependencies = DependencyComparison(question.dependencies, with: record, of: question.target)
    if !dependencies.changes.isEmpty {
      return Decision(.stale(.dependencyChanged(dependencies.changes)), line: .dependencies, record: record)
    }
    let verdict = lockVerdict(question, here) ?? ruleVerdict(question, record, signature)
    if dependencies.leaveOpen(verdict) {
      return Decision(.dependsOn(dependencies.open), line: .dependencies, record: record)
    }
    return Decision(verdict, line: record == nil ? .ruleWithoutRecord : .rule, record: record)
  }

  /// `nil` if the lock does not apply; an output that matches the lock was decided before.
  private static func lockVerdict(_ question: FreshnessQuestion, _ here: HexDigest?) -> Verdict? {
    guard let pin = question.pin, let here else { return nil }
    guard here != pin.output.sha256 else { return .fresh(.asLocked(here)) }
    return .stale(.notAsLocked(locked: pin.output.sha256, actual: here))
  }

  private static func ruleVerdict(
    _ question: FreshnessQuestion, _ record: TargetRecord?, _ signature: FileSignature
  ) -> Verdict {
    if question.isUnlisted { return .stale(.neverSynced) }
    let verdict = RuleVerdict(question, record, signature).verdict
    guard question.mustKnowDownload, case .fresh(let reason) = verdict,
      record?.isMade(as: question.target) != true
    else { return verdict }
    switch reason {
    // The file is what a download would bring.
    case .digestMatches, .listUnchanged(.digest):
      return question.target.steps.contains(where: \.transforms) ? .stale(.neverSynced) : verdict
    default: return .stale(.neverSynced)
    }
  }

  private static func definitionChanges(_ question: FreshnessQuestion, _ record: TargetRecord)
    -> [FieldChange]
  {
    var changes = Definition.changes(from: record.definition, to: question.definition)
    let output = question.target.path
    if record.output != output, !changes.contains(where: { $0.field == "output" }) {
      changes.append(FieldChange(field: "output", was: record.output.text, now: output.text))
    }
    return changes
  }
}
