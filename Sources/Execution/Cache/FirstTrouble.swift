import Platform

/// Knows whether the user was told of a cache's trouble: a cache costs at most one warning in a command, whatever is wrong
/// with it; any thread.
package final class FirstTrouble: Sendable {
  private let isTold = Monitor(false)

  /// The user was told of nothing.
  package init() {}

  /// Whether this is the first trouble, of which the user is told now.
  func isNow() -> Bool {
    isTold.withLock { isTold in
      defer { isTold = true }
      return !isTold
    }
  }
}
