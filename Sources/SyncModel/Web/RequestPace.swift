/// How many requests to a host may begin in a second or a minute (`rate`; contract, section 5).
package struct RequestRate: Sendable, Hashable {
  /// 1 or more.
  package var count: Int
  package var period: Duration

  package init(count: Int, period: Duration) {
    self.count = count
    self.period = period
  }

  /// How many requests begin in one second on average, rounded up: more targets in progress would only wait.
  package var perSecond: Int {
    let seconds = max(1, Int(clamping: period.components.seconds))
    return max(1, (count + seconds - 1) / seconds)
  }
}

/// Which requests to one host may begin by its ``RequestRate``: in no span of its period do more go out.
///
/// A request that has its turn counts from then on, and its time is that at which it goes out: making a connection may
/// take long, and the host sees the request behind that. Times are passed in, since an unnamed moment.
package struct RequestPace: Sendable {
  private let count: Int
  private let period: Duration
  /// When the last requests went out, in order; those before ``first`` are forgotten.
  private var sent: [Duration] = []
  private var first = 0
  /// How many have had their turn and have not gone out.
  private var starting = 0

  /// Requests take different times to their host; this much more lies between them, so that it sees no more either.
  private static let slack = Duration.milliseconds(10)

  /// Every time is multiplied by `timeScale`; tests use less than 1.
  package init(_ rate: RequestRate, timeScale: Double = 1) {
    count = max(1, rate.count)
    period = (rate.period + Self.slack) * timeScale
  }

  /// Whether one more request may have its turn.
  package mutating func mayBegin(at now: Duration) -> Bool {
    forget(before: now)
    return starting + sent.count - first < count
  }

  /// A request has its turn; it must be told of by ``begun(at:)`` later, once.
  package mutating func begins() { starting += 1 }

  /// The request went out, or ended before that.
  package mutating func begun(at now: Duration) {
    starting -= 1
    forget(before: now)
    sent.append(now)
  }

  /// How long until one more may have its turn; `nil` if that takes a request that has not gone out yet.
  package mutating func timeToNext(at now: Duration) -> Duration? {
    if mayBegin(at: now) { return .zero }
    // As many must be forgotten as are too many.
    let index = first + starting + (sent.count - first) - count
    return sent.indices.contains(index) ? max(.zero, sent[index] + period - now) : nil
  }

  private mutating func forget(before now: Duration) {
    while first < sent.count, sent[first] + period <= now { first += 1 }
    if first > 64, first > sent.count / 2 {
      sent.removeFirst(first)
      first = 0
    }
  }
}
