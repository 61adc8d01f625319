package import SyncModel

/// What the requests of an untrusted manifest may do (contract, section 14), and what they have used of it.
///
/// An object, so that settings without one are as short as possible.
package final class NetworkPolicy: Sendable {
  /// The policy of the command.
  package let policy: Policy
  let meter: BudgetMeter

  /// The time counts from now on.
  package init(_ policy: Policy) {
    self.policy = policy
    meter = BudgetMeter(policy.limits)
  }

  /// How long the command may go on; `nil` without a limit.
  package var timeLeft: Duration? { meter.timeLeft }

  /// The limit after which nothing goes on, if it is reached.
  package var reached: ReachedLimit? { meter.reached }

  /// Why a request for `url` must not be sent; `nil` if it may.
  ///
  /// The addresses of names are judged when a connection is made.
  func refusal(of url: HopURL, from: String? = nil) -> FailureCause? {
    switch policy.refusal(of: url.origin) {
    case .address(let address, let what): .addressRefused(url: url.text, address, what)
    case .host(let fault): .hostRefused(url: url.text, from: from, fault)
    case nil: nil
    }
  }
}

/// Counts what the loops of one command use.
///
/// They follow each other, so that one thread at a time uses it.
final class BudgetMeter: @unchecked Sendable {
  private var spending: PolicySpending
  private let startedAt = MonotonicInstant.now

  init(_ limits: PolicyLimits) { spending = PolicySpending(limits) }

  var timeLeft: Duration? { spending.timeLeft(after: MonotonicInstant.now - startedAt) }

  /// The limit after which nothing goes on, if it is reached.
  var reached: ReachedLimit? {
    if spending.reached == nil, timeLeft == .zero { spending.timeIsUp() }
    return spending.reached
  }

  /// Counts a request that is to be sent; returns the limit that forbids it.
  func begin() -> ReachedLimit? { reached ?? spending.begin() }

  /// Counts bytes of a body after `before` others; returns the limit that they exceed.
  func take(_ count: Int, after before: Int64) -> ReachedLimit? { spending.take(Int64(count), after: before) }

  /// The bytes counted last were not taken and will come again.
  func giveBack(_ count: Int) { spending.giveBack(Int64(count)) }

  /// The limit that a file exceeds that gets `count` bytes after `before` others.
  func exceeds(_ count: Int64, after before: Int64) -> ReachedLimit? {
    spending.exceeds(count, after: before)
  }
}
