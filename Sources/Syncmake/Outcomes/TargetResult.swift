/// What became of a target in a run (contract, section 7).
public struct TargetResult: Sendable, Equatable {
  /// How a target ended.
  public enum Outcome: String, Sendable {
    /// It was brought up to date; perhaps with the bytes that it had.
    case updated
    /// It needed nothing.
    case fresh
    /// It could not be brought up to date; the old file is in place.
    case failed
    /// It was not looked at: a dependency failed, or the run stopped first.
    case skipped
  }

  /// The target's name; for a ``FileSync`` its destination.
  public let name: String
  /// How it ended.
  public let outcome: Outcome
  /// Whether the file has another content than before the run.
  public let isChanged: Bool
  /// The code of the reason, such as `not-modified` (contract, section 3); `nil` if there was no verdict.
  public let reason: String?
  /// The reason in words.
  public let detail: String?
  /// The file or folder, relative to the root.
  public let output: String
  /// In bytes; `nil` if it is unknown.
  public let size: Int64?
  /// The sha256 of a file, the tree digest of a folder; `nil` if it is unknown.
  public let digest: String?
  /// Body bytes received in this run.
  public let bytesReceived: Int64
  /// Body bytes that came from the cache, ``RunOptions/cache``.
  public let bytesFromCache: Int64
  /// Body bytes kept from an earlier run.
  public let bytesResumed: Int64
  /// Requests sent, redirects and retries included; none to a cache counts.
  public let requests: Int
  /// The status of the last reply; `nil` if there was none.
  public let httpStatus: Int?
  /// From the first look at the target to its end. If the sources of many files confirmed all of them in one step, the time of
  /// that step.
  public let duration: Duration
  /// Oddities that did not stop the target; for a ``FileSync`` those of its whole run, too.
  public let warnings: [Problem]
  /// Why the target failed, or why it was skipped: ``SyncError/Code/cancelled`` if the task was cancelled first; for a
  /// ``FileSync`` also the reason why the run of its root could not begin. `nil` for all others.
  public let error: SyncError?
}

/// How a run ended.
public struct RunResult: Sendable, Equatable {
  /// A run as a whole.
  public enum Status: String, Sendable {
    /// Every selected target is up to date, apart from optional ones.
    case ok
    /// A target failed, or the run could not begin.
    case failed
    /// The task was cancelled; what was done before is in the result.
    case cancelled
  }

  /// How the run ended.
  public let status: Status
  /// One for each selected target, in an order in which they could run. If the run could not begin, those that were
  /// brought up to date before, since the manifest takes values from them.
  public let targets: [TargetResult]
  /// The outputs that were removed, since their entries have left their lists.
  public let removed: [String]
  /// All warnings of the run, also those of its targets, in the order in which they came.
  public let warnings: [Problem]
  /// Includes the wait for another run.
  public let duration: Duration
  /// Why the run could not begin or was cancelled, or a failure that belongs to no target.
  public let error: SyncError?
}
