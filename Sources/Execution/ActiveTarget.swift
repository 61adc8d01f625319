import SyncModel

/// A target that was begun and has not ended.
protocol ActiveTarget: AnyObject {
  var target: Target { get }
  /// Stops cleanly: what can be resumed is kept, what is being put in place is let finish.
  func interrupt()
}
