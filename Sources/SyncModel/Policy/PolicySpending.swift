/// What a command has used of its limits; it decides without a clock.
package struct PolicySpending: Sendable, Equatable {
  private let limits: PolicyLimits
  /// Bytes of bodies so far.
  private(set) package var bytes: Int64 = 0
  /// Requests so far.
  private(set) package var requests = 0
  /// The limit of bytes or time that was reached: nothing goes on after it.
  private(set) package var reached: ReachedLimit?

  /// Nothing is used yet.
  package init(_ limits: PolicyLimits) { self.limits = limits }

  /// Counts a request that is to be sent; returns the limit that forbids it.
  package mutating func begin() -> ReachedLimit? {
    if let reached { return reached }
    if let limit = limits.requests, requests >= limit { return .requests(limit) }
    requests += 1
    return nil
  }

  /// Counts bytes of a body, of whose file there are `before` already; returns the limit that they exceed.
  package mutating func take(_ count: Int64, after before: Int64) -> ReachedLimit? {
    if let reached { return reached }
    if let limit = limits.bytes, count > limit - bytes {
      reached = .bytes(limit)
      return reached
    }
    bytes += count
    return exceeds(count, after: before)
  }

  /// Takes back what ``take(_:after:)`` counted last: the bytes were not taken and will come again.
  package mutating func giveBack(_ count: Int64) { bytes -= count }

  /// The limit that a file exceeds that gets `count` bytes after `before` others, which a server may say to be any number.
  package func exceeds(_ count: Int64, after before: Int64) -> ReachedLimit? {
    guard let limit = limits.file else { return nil }
    let (size, isHuge) = before.addingReportingOverflow(count)
    return isHuge || size > limit ? .file(limit) : nil
  }

  /// How long the command may go on, `elapsed` after its start; `nil` without a limit.
  package func timeLeft(after elapsed: Duration) -> Duration? { limits.time.map { max(.zero, $0 - elapsed) } }

  /// Notes that the time is over.
  package mutating func timeIsUp() {
    if reached == nil, let limit = limits.time { reached = .time(limit) }
  }
}
