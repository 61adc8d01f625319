import Execution
import Platform

/// The events of a run on their way from its thread to a task.
///
/// The run never waits for the task. While nobody takes events, one of a target's progress replaces the one before.
final class EventFeed: Sendable {
  fileprivate struct State {
    var events: [Event] = []
    /// Of ``events``, those that were taken.
    var taken = 0
    var waiting: CheckedContinuation<Event?, Never>?
    var isEnded = false
  }

  private let state = Monitor(State())

  /// Any thread; nothing follows ``Event/ended(_:)``.
  func send(_ event: Event) {
    let waiting = state.withLock { state -> CheckedContinuation<Event?, Never>? in
      if case .ended = event { state.isEnded = true }
      if let waiting = state.waiting {
        state.waiting = nil
        return waiting
      }
      if case .progress(let target, _, _) = event, state.events.count > state.taken,
        case .progress(target, _, _)? = state.events.last
      {
        state.events.removeLast()
      }
      state.events.append(event)
      return nil
    }
    waiting?.resume(returning: event)
  }

  /// The next event; `nil` after the last one. For one task at a time.
  func next() async -> Event? {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Event?? in
        if let event = state.next() { return event }
        if state.isEnded { return .some(nil) }
        state.waiting = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

extension EventFeed.State {
  fileprivate mutating func next() -> Event? {
    guard taken < events.count else { return nil }
    defer {
      taken += 1
      if taken == events.count { (events, taken) = ([], 0) }
    }
    return events[taken]
  }
}
