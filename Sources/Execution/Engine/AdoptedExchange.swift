import SyncModel
import Transfer

/// An exchange that a fast path has started, and that the full path goes on with.
struct AdoptedExchange {
  var id: ExchangeID
  /// Of its last reply so far; `nil` while none came.
  var status: Int?
  /// Where that reply came from.
  var url: String?
  /// When the target was first looked at.
  var began: Duration
}
