/// What a run would do; nothing was written to learn it.
public struct Plan: Sendable, Equatable {
  /// One for each selected target, in an order in which they could run.
  public let targets: [PlannedTarget]

  /// Whether something is stale, or may be.
  public var hasWork: Bool { targets.contains { $0.action == .update || $0.action == .maybe } }
}

/// What a run would do with a target (contract, section 7).
public struct PlannedTarget: Sendable, Equatable {
  /// What would be done.
  public enum Action: String, Sendable {
    /// It is stale.
    case update
    /// It needs nothing.
    case fresh
    /// It depends on a target that would be updated, or only a request could tell.
    case maybe
    /// It could not be checked.
    case error
  }

  /// The target's name; for a ``FileSync`` its destination.
  public let name: String
  /// What would be done.
  public let action: Action
  /// The code of the reason, such as `validator-changed` (contract, section 3).
  public let reason: String
  /// The reason in words.
  public let detail: String
  /// The file or folder, relative to the root.
  public let output: String
  /// The names of the targets that come first and whose content counts.
  public let needs: [String]
  /// The size of the download, if the server gave it.
  public let bytes: Int64?
  /// Set exactly for ``Action/error``.
  public let error: SyncError?
}
