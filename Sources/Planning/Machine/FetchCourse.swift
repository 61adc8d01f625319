import SyncModel

/// One target's dealings with its source.
struct FetchCourse: Sendable {
  /// The phase of the exchange.
  enum Exchange: Equatable {
    case idle
    /// The header has not come, or the body is dropped.
    case asking
    case taking
    case pausing
    /// The body ended; its steps, digests and size decide.
    case judging(isProvenByFraming: Bool)
    case refreshingSidecars
  }

  /// `nil` before the first question, and while the body comes from elsewhere.
  var machine: FetchMachine?
  var exchange = Exchange.idle
  /// The question to the source as the verdict has it; `nil` for a target that is stale in any case.
  var conditions: Validators?
  /// Of the last reply.
  var lastStatus: Int?
  /// Of the last reply, for messages.
  var lastURL: String?
  /// So many have ended.
  var requests = 0
  /// Whether a warning was reported.
  var hasWarned = false

  /// Whether a body may come.
  var isConnected: Bool { exchange == .asking || exchange == .taking }
  /// Whether nothing but one 304 has come.
  var isOneConfirmation: Bool { lastStatus == 304 && requests == 1 }
}
