import Execution
import Platform

/// The events of a run on their way from its thread to tasks.
///
/// The run never waits for a task. While nobody takes events, a target's progress replaces its earlier one, unless the
/// target began anew in between.
final class EventFeed: Sendable {
  private let state = Monitor(PendingEvents())

  /// Any thread; nothing follows ``Event/ended(_:)``.
  func send(_ event: Event) {
    let (first, others) = state.withLock { $0.add(event) }
    first?.resume(returning: event)
    for other in others { other.resume(returning: nil) }
  }

  /// The next event; `nil` after the last one. Tasks that wait at once get one event each, in the order of their calls.
  func next() async -> Event? {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Event?? in
        if let event = state.take() { return event }
        if state.isEnded { return .some(nil) }
        state.waiting.append(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

/// The events that nobody has taken yet, or those who wait for the next ones.
struct PendingEvents {
  typealias Waiting = CheckedContinuation<Event?, Never>

  fileprivate(set) var waiting: [Waiting] = []
  private(set) var isEnded = false
  private var events: [Event] = []
  /// Of ``events``, those that were taken.
  private var taken = 0
  /// Taken events that are no longer in ``events``.
  private var dropped = 0
  /// By target, the number of its progress that may be replaced, from the first event of the run on.
  private var progress: [String: Int] = [:]

  /// The events that are kept; those that were taken are at most about half of them.
  var count: Int { events.count }

  /// Returns who gets `event`, and those who wait in vain since it is the last one.
  mutating func add(_ event: Event) -> (first: Waiting?, others: [Waiting]) {
    if case .ended = event { isEnded = true }
    guard waiting.isEmpty else {
      let first = waiting.removeFirst()
      defer { if isEnded { waiting = [] } }
      return (first, isEnded ? waiting : [])
    }
    keep(event)
    return (nil, [])
  }

  private mutating func keep(_ event: Event) {
    switch event {
    case .progress(let target, _, _):
      if let number = progress[target] {
        events[number - dropped] = event
        return
      }
      progress[target] = dropped + events.count
    case .retrying(let target, _, _, _), .nextMirror(let target, _, _):
      // Progress that follows is that of the next try.
      progress[target] = nil
    default: break
    }
    events.append(event)
  }

  mutating func take() -> Event? {
    guard taken < events.count else { return nil }
    let event = events[taken]
    if case .progress(let target, _, _) = event, progress[target] == dropped + taken {
      progress[target] = nil
    }
    taken += 1
    if taken == events.count || taken >= 64 && taken * 2 >= events.count {
      events.removeFirst(taken)
      (dropped, taken) = (dropped + taken, 0)
    }
    return event
  }
}
