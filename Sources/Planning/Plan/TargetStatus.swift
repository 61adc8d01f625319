package import SyncModel

/// The facts about a target without any request (`syncmake status`, contract, section 7).
package struct TargetStatus: Sendable, Equatable {
  /// How the output compares with its record.
  package enum State: String, Sendable, CaseIterable {
    case present, missing
    /// Not as recorded: edited, or no longer a file.
    case modified
    /// A file exists without a record.
    case unknown
  }

  package var id: TargetID
  package var name: TargetName
  package var output: RelativePath
  package var state: State
  /// Of this output, or of an intention that matches its bytes; `nil` if there is neither.
  package var record: TargetRecord?
  /// `nil` for a target without a pin; never ``LockStanding/moved``, since no request is made.
  package var lock: LockStanding?

  package init(id: TargetID, name: TargetName, output: RelativePath, state: State, record: TargetRecord?) {
    self.id = id
    self.name = name
    self.output = output
    self.state = state
    self.record = record
  }
}
