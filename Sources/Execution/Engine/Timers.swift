import SyncModel

/// What is to be done at later moments, by one clock.
struct Timers {
  private struct Timer {
    var due: Duration
    var action: () -> Void
  }

  let clock: any RunClock
  private var waiting: [Timer] = []

  init(_ clock: any RunClock) { self.clock = clock }

  mutating func add(after delay: Duration, _ action: @escaping () -> Void) {
    waiting.append(Timer(due: clock.monotonic() + delay, action: action))
  }

  mutating func removeAll() { waiting.removeAll() }

  /// The actions that are due, which are removed.
  mutating func takeDue() -> [() -> Void] {
    guard !waiting.isEmpty else { return [] }
    let now = clock.monotonic()
    let due = waiting.filter { $0.due <= now }
    waiting.removeAll { $0.due <= now }
    return due.map(\.action)
  }

  /// The time to the next action, zero if it is due; `nil` if there is none.
  var timeToNext: Duration? {
    waiting.lazy.map(\.due).min().map { max(.zero, $0 - clock.monotonic()) }
  }
}
