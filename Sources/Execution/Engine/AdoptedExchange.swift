import SyncModel
import Transfer

/// An exchange that a fast path has started, and that the full path continues.
struct AdoptedExchange {
  var id: ExchangeID
  /// Of its last reply so far; `nil` if there was none.
  var status: Int?
  /// The URL of that reply.
  var url: String?
  /// When the target was first looked at.
  var began: Duration
}
