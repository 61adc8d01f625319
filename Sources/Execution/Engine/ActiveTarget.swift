import SyncModel

/// A target that was begun and has not ended.
protocol ActiveTarget: AnyObject {
  var target: Target { get }
  /// Stops cleanly: resumable data is kept, and a publication in progress ends.
  func interrupt()
}
