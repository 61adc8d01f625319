package import SyncModel

/// Everything that one verdict rests on; the same question always has the same answer.
package struct FreshnessQuestion: Sendable {
  /// The target to judge, as in the manifest.
  package var target: Target
  /// ``Definition/fields(of:in:)`` of the target.
  package var definition: [DefinitionField]
  /// The record of its output, else of its name.
  package var record: TargetRecord?
  /// The intention of an interrupted run for the output.
  package var pending: TargetRecord?
  /// The observation of the target's own path.
  package var output: OutputObservation
  /// One for each of `needs`, `from` and each `verify` entry, in ``TargetGraph`` order.
  package var dependencies: [DependencyState]
  /// The options of the command line that name the target.
  package var directive: Directive
  /// `--overwrite`: edits may be replaced whatever `local_changes` says.
  package var overwritesEdits: Bool
  /// The time of day that the age of the last check is counted to.
  package var now: Timestamp
  /// The facts that an earlier verdict waited for.
  package var facts: Facts
  /// The target's pin; `nil` if it is not locked.
  package var pin: Pin?
  /// The sha256 of the output in the present lock, also of a target that is locked anew; `nil` if there is none.
  package var lockedOutput: HexDigest?
  /// What the list says now of a pinned entry; only a plan asks.
  package var upstream = UpstreamEntry.unknown
  /// Whether the target in whose output the rule's digest is has not moved past the lock: then this one has not either.
  package var hasUnmovedList = false
  /// Nothing is known of what is in the folder output that is there, or other targets have written over the output, so that
  /// no rule can decide from it.
  package var isUnlisted = false
  /// Whether the output is a file of which nothing is recorded, and which has other names: their use changes its times, so
  /// only its digest tells later whether it was edited meanwhile.
  package var hasOtherNames = false
  /// What was edited there of the outputs of earlier targets; `nil` for nothing, and if the output has a record.
  package var earlierEdits: FailureCause?
  /// Whether it is a pinned folder in which edited files stay.
  package var hasKeptEdits = false
  /// Whether the target takes what its source has now (`update`): then no interval holds, and `once` asks, too.
  package var asksNow = false
  /// `lock` and `update`: a fresh target is not enough if it is not known what its source's bytes are, or make.
  package var mustKnowDownload = false

  /// The rule that decides; `nil` for a target that is made from another.
  package var rule: FreshnessRule? { asksNow ? target.freshness?.askingNow : target.freshness }

  /// The reason as it is told: a folder in which edited files stay is as locked for the rules only.
  func told(_ reason: FreshReason) -> FreshReason {
    if hasKeptEdits, case .asLocked = reason { .keptModified } else { reason }
  }

  /// The seed that brings the target up to date; `nil` if this run does.
  package var seed: Shard?

  /// `record`, `pending` and `output` must be of the same path; `definition` must be made from `target`.
  package init(
    target: Target, definition: [DefinitionField], record: TargetRecord?, pending: TargetRecord? = nil,
    output: OutputObservation, dependencies: [DependencyState] = [], directive: Directive = .none,
    overwritesEdits: Bool = false, now: Timestamp, facts: Facts = Facts(), pin: Pin? = nil
  ) {
    self.target = target
    self.definition = definition
    self.record = record
    self.pending = pending
    self.output = output
    self.dependencies = dependencies
    self.directive = directive
    self.overwritesEdits = overwritesEdits
    self.now = now
    self.facts = facts
    self.pin = pin
  }

  /// The command line's options for this target.
  package enum Directive: Sendable, Equatable {
    /// No option names the target.
    case none
    /// `-o`
    case assumeFresh
    /// `-B`, or `-W` names it.
    case force
  }

  /// The facts from probes so far; each is requested at most once.
  package struct Facts: Sendable {
    /// Digests of the present output.
    package var outputDigests: [DigestAlgorithm: HexDigest]?
    /// The digest that the rule's source gives.
    package var expectedDigest: HexDigest?
    /// `nil` until the source was asked.
    package var sourceAnswer: SourceAnswer?
    /// The validators of the reply that confirmed, if its ETag is not the recorded one; else `nil`.
    package var confirmation: Validators?

    /// Each fact is `nil` until it is known.
    package init(
      outputDigests: [DigestAlgorithm: HexDigest]? = nil, expectedDigest: HexDigest? = nil,
      sourceAnswer: SourceAnswer? = nil
    ) {
      self.outputDigests = outputDigests
      self.expectedDigest = expectedDigest
      self.sourceAnswer = sourceAnswer
    }
  }
}

/// The source's answer to ``Probe/source(_:)``.
package enum SourceAnswer: Sendable, Equatable {
  /// It still has the version.
  case confirmed
  /// It confirms by this digest, which is that of the last download.
  case sameDigest(ServerDigest)
  /// It has something else, known by these validators.
  case changed(Validators)
}

/// A dependency's content, as far as its dependent must know it.
package struct DependencyState: Sendable, Equatable {
  /// In what way the target depends on it; never ``DependencyKind/after``.
  package var kind: DependencyKind
  /// The dependency's name.
  package var name: TargetName
  /// The line's name for ``DependencyKind/verify``.
  package var entry: String?
  /// What its content is, or why that is not known.
  package var content: Content

  /// The known facts of its bytes.
  package enum Content: Sendable, Equatable {
    /// Its sha256 now; for ``DependencyKind/verify`` the digest that the line gives now.
    case settled(HexDigest)
    /// Planning only: it would be updated, so its content is unknown.
    case wouldChange
    /// `-W`: take it as changed.
    case takenAsChanged
    /// `-o`: take it as unchanged.
    case takenAsUnchanged
  }

  /// `entry` is set exactly for ``DependencyKind/verify``.
  package init(kind: DependencyKind, name: TargetName, entry: String? = nil, content: Content) {
    self.kind = kind
    self.name = name
    self.entry = entry
    self.content = content
  }
}
