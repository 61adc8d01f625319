import SyncModel

/// What is known of a target without asking anybody (`syncmake status`, SPEC section 7).
package struct TargetStatus: Sendable, Equatable {
  package enum State: String, Sendable, CaseIterable {
    case present, missing, modified
    /// A file is there, but nothing is recorded for it.
    case unknown
  }

  package var id: TargetID
  package var name: TargetName
  package var output: RelativePath
  package var state: State
  package var record: TargetRecord?

  package init(id: TargetID, name: TargetName, output: RelativePath, state: State, record: TargetRecord?) {
    self.id = id
    self.name = name
    self.output = output
    self.state = state
    self.record = record
  }

  /// What can be said of an output from what is recorded; `nil` where its sha256 is needed and not in `digest`.
  ///
  /// Size and times are compared first, as line 3 of the table in SPEC section 3 does. A link, folder or
  /// device in the output's place is ``State/unknown``.
  package static func state(
    of target: Target, record: TargetRecord?, pending: TargetRecord?, output: OutputObservation,
    digest: HexDigest? = nil
  ) -> State? {
    switch output {
    case .missing: return .missing
    case .unusable: return .unknown
    case .file(let signature):
      let facts = FreshnessQuestion.Facts(outputDigests: digest.map { [.sha256: $0] })
      let question = FreshnessQuestion(
        target: target, definition: [], record: record, pending: pending, output: output,
        now: Timestamp(nanoseconds: 0), facts: facts)
      return switch Ownership.of(question, signature) {
      case .ours: .present
      case .edited: .modified
      case .nobodyKnows: .unknown
      case .unread: nil
      }
    }
  }
}
