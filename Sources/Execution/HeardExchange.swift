import Transfer

/// What a ``PlainFetch`` leaves to the ``TargetRun`` that goes on.
struct HeardTarget {
  var exchange: HeardExchange
  /// When the target was first looked at.
  var began: Duration
}

/// An exchange that somebody else has started.
struct HeardExchange {
  var id: ExchangeID
  /// Of its last reply so far, and where that came from.
  var status: Int?
  var url: String?
}
