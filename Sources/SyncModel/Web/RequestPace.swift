/// How many requests to a host may begin in a second or a minute (`rate`; contract, section 5).
package struct RequestRate: Sendable, Hashable {
  /// 1 or more.
  package var count: Int
  /// The span in which ``count`` requests may begin: a second or a minute.
  package var period: Duration

  /// `count` must be 1 or more, and `period` more than zero.
  package init(count: Int, period: Duration) {
    self.count = count
    self.period = period
  }

  /// One part of so many: fewer requests in the same span or, if that would be none, one in a longer span.
  package func share(of runs: Int) -> RequestRate {
    count >= runs
      ? RequestRate(count: count / runs, period: period)
      : RequestRate(count: 1, period: period * runs / count)
  }

  /// How many requests begin in one second on average, rounded up: more targets in progress would only wait.
  package var perSecond: Int {
    let seconds = max(1, Int(clamping: period.components.seconds))
    return max(1, (count + seconds - 1) / seconds)
  }
}

extension RequestRate? {
  /// The one of fewer requests in the same time; `nil` is no limit.
  package static func slower(_ a: RequestRate?, _ b: RequestRate?) -> RequestRate? {
    guard let a, let b else { return a ?? b }
    return a.period * b.count < b.period * a.count ? b : a
  }
}

/// Decides which requests to one host may begin by its ``RequestRate``: in no span of its period more are sent.
///
/// A request counts from its turn on, and its time is that of its sending: making a connection may take long, and
/// the host sees the request after that. Times are passed in, since an arbitrary epoch.
package struct RequestPace: Sendable {
  private let count: Int
  private let period: Duration
  /// When the last requests went out, in order; those before ``first`` are forgotten.
  private var sent: [Duration] = []
  private var first = 0
  /// The number of requests that have had their turn and were not sent yet.
  private var starting = 0

  /// Requests take different times to the host; this additional gap ensures that the host sees no more requests
  /// either.
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

  /// A request has its turn; ``begun(at:)`` must follow once.
  package mutating func begins() { starting += 1 }

  /// The request went out, or ended before that.
  package mutating func begun(at now: Duration) {
    starting -= 1
    forget(before: now)
    sent.append(now)
  }

  /// The wait for one more turn; `nil` if it depends on a request that was not sent yet.
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
