import Foundation

/// A value behind a lock, with a bounded wait for a condition.
final class Monitor<State>: @unchecked Sendable {
  // `state` is touched only while `condition` is held.
  private let condition = NSCondition()
  private var state: State

  init(_ state: State) { self.state = state }

  /// Reads or changes the value and wakes the waiting threads.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    condition.lock()
    defer {
      condition.broadcast()
      condition.unlock()
    }
    return body(&state)
  }

  /// Waits until `isTrue`, or until the time is up; returns the last answer of `isTrue`.
  func wait(seconds: Double, until isTrue: (State) -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while !isTrue(state) {
      if !condition.wait(until: deadline) { return isTrue(state) }
    }
    return true
  }
}
