import Platform
import SyncModel

@testable import Execution

/// Clocks that only the test moves.
final class ManualClock: RunClock {
  private struct Times: Sendable {
    var now: Timestamp
    var monotonic: Duration
  }

  private let times: Monitor<Times>

  /// By default 2026-11-21T10:00:00Z.
  init(now: Timestamp = Timestamp(seconds: 1_795_255_200)) {
    times = Monitor(Times(now: now, monotonic: .seconds(100)))
  }

  func now() -> Timestamp { times.withLock { $0.now } }
  func monotonic() -> Duration { times.withLock { $0.monotonic } }

  /// Lets time pass, by both clocks; nothing happens if `time` is negative.
  func advance(by time: Duration) {
    guard time > .zero else { return }
    let (seconds, attoseconds) = time.components
    times.withLock { times in
      times.now.nanoseconds += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
      times.monotonic += time
    }
  }

  /// Sets the time of day, as a person may; that may be back.
  func set(_ now: Timestamp) { times.withLock { $0.now = now } }
}
