package import SyncModel

/// What is known of a target without asking anybody (`syncmake status`, contract, section 7).
package struct TargetStatus: Sendable, Equatable {
  /// How the output stands to what is recorded.
  package enum State: String, Sendable, CaseIterable {
    case present, missing
    /// Not what is recorded: edited, or something that is no file took its place.
    case modified
    /// Something is there, but nothing is recorded for it.
    case unknown
  }

  package var id: TargetID
  package var name: TargetName
  package var output: RelativePath
  package var state: State
  /// Of this output, or the pending one that its bytes agree with; `nil` where there is neither.
  package var record: TargetRecord?
  /// `nil` for a target that is not pinned; never ``LockStanding/moved``, since nobody is asked.
  package var lock: LockStanding?

  package init(id: TargetID, name: TargetName, output: RelativePath, state: State, record: TargetRecord?) {
    self.id = id
    self.name = name
    self.output = output
    self.state = state
    self.record = record
  }
}
