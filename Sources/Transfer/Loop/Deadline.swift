import SyncModel

/// When an exchange runs out of time, and what follows; by our own clock, since libcurl's are late.
///
/// Time while the system sleeps does not count.
struct Deadline {
  enum Kind {
    case total, connect, stall
    /// An unwanted body has been read for long enough.
    case drain
    /// The reply is complete, but its end was not reported.
    case end
  }

  /// The time for libcurl to report the end of a complete reply. Over HTTP/2, libcurl 7.88 may not handle the end
  /// of a stream that came with another stream's bytes until something more is read from the connection, which may
  /// be never.
  private static let endTime = Duration.milliseconds(50)

  var moment: MonotonicInstant
  var kind: Kind

  /// The first of an exchange's deadlines; `nil` while nothing limits it.
  init?(of exchange: LiveExchange) {
    let timeouts = exchange.request.timeouts
    let scale = exchange.timeScale
    var first: Deadline?
    func consider(_ kind: Kind, _ moment: MonotonicInstant) {
      if first.map({ moment < $0.moment }) ?? true { first = Deadline(moment: moment, kind: kind) }
    }
    if let total = timeouts.total, let start = exchange.firstSentAt {
      consider(.total, start + total * scale)
    }
    if let hop = exchange.hop {
      if let moment = hop.drainDeadline { consider(.drain, moment) }
      if hop.sentAt == nil {
        consider(.connect, hop.startedAt + timeouts.connect * scale)
      } else if !hop.isPaused {
        if hop.isWhole { consider(.end, hop.lastByteAt + Self.endTime) }
        consider(.stall, hop.lastByteAt + timeouts.stall * scale)
      }
    }
    guard let first else { return nil }
    self = first
  }

  private init(moment: MonotonicInstant, kind: Kind) {
    self.moment = moment
    self.kind = kind
  }

  /// How the exchange ends when the moment has come.
  func outcome(of exchange: LiveExchange) -> Hop.Outcome {
    let timeouts = exchange.request.timeouts
    let url = exchange.hop?.url.text ?? exchange.next.text
    switch kind {
    case .total:
      return .end(.failed(.timeout(url: url, phase: .total, after: timeouts.total ?? .zero)))
    case .connect:
      return .end(.failed(.timeout(url: url, phase: .connect, after: timeouts.connect)))
    case .end:
      return exchange.hop.map { $0.outcome ?? .end($0.endOfGoodReply) } ?? .end(.stopped)
    case .stall, .drain:
      // An unwanted body may stall; the next action is already decided.
      if let outcome = exchange.hop?.outcome { return outcome }
      return .end(
        .failed(
          .stalled(
            url: url, after: timeouts.stall, received: exchange.hop?.received ?? 0,
            expected: exchange.hop?.announced)))
    }
  }
}
