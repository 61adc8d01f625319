import SyncModel

/// When an exchange runs out of time, and what follows; by our own clock, since libcurl's are late.
///
/// Time while the system sleeps does not count.
struct Deadline {
  enum Kind {
    case total, connect, stall
    /// An unwanted body has been read for long enough.
    case drain
    /// All of the reply is here, and nobody says that it has ended.
    case end
  }

  /// How long libcurl has to tell of the end of a reply that is whole. Over HTTP/2 libcurl 7.88 may leave a stream whose
  /// end came with another one's bytes until something more is read from their connection, which may be never.
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
      return .end(.failed(.timeout(url: url, phase: "total", after: timeouts.total ?? .zero)))
    case .connect:
      return .end(.failed(.timeout(url: url, phase: "connect", after: timeouts.connect)))
    case .end:
      return exchange.hop.map { $0.outcome ?? .end($0.endOfGoodReply) } ?? .end(.stopped)
    case .stall, .drain:
      // A body that nobody wants may stall as it likes; what follows it was decided before.
      if let outcome = exchange.hop?.outcome { return outcome }
      return .end(
        .failed(
          .stalled(
            url: url, after: timeouts.stall, received: exchange.hop?.received ?? 0,
            expected: exchange.hop?.announced)))
    }
  }
}
