package import SyncModel

/// The facts about a target without any request (`syncmake status`, contract, section 7).
package struct TargetStatus: Sendable, Equatable {
  /// How the output compares with its record.
  package enum State: String, Sendable, CaseIterable {
    /// The output is as recorded, or is not there.
    case present, missing
    /// Neither as recorded nor as locked: edited, or no longer a file.
    case modified
    /// A file exists without a record of its bytes, which are not known or are those of the lock.
    case unknown
    /// The entry that it was made from has left its list.
    case orphaned
  }

  /// The target's index.
  package var id: TargetID
  /// The target's name.
  package var name: TargetName
  /// The file or folder that the target produces.
  package var output: Output
  /// How that file compares with ``record``.
  package var state: State
  /// The record of this output, or an intention that matches its bytes; `nil` if there is neither.
  package var record: TargetRecord?
  /// `nil` for a target without a pin; never ``LockStanding/moved``, since no request is made.
  package var lock: LockStanding?
  /// How many files and links the folder has; `nil` for a file, and if nothing is known of the folder.
  package var files: Int?
  /// The first edited files of the folder, by their paths in it.
  package var edited: [String] = []
  /// How many of its files were edited.
  package var editedCount = 0

  /// `record` is `nil` for ``State/unknown``, and may be for ``State/missing``; ``lock`` is `nil` until it is set.
  package init(id: TargetID, name: TargetName, output: Output, state: State, record: TargetRecord?) {
    self.id = id
    self.name = name
    self.output = output
    self.state = state
    self.record = record
  }
}
