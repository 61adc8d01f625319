import LocalFiles
import SyncModel

/// What a committer's thread has begun and not finished.
struct CommitBatch {
  /// Files that are on disk and wait for company.
  var ready: [PendingOutput] = []
  /// What is in place and not recorded yet.
  var unrecorded: [StateChange] = []
  /// The names of published files, which may not be on the disk yet.
  var unsynced: PublishedNames?
}
