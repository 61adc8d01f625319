import Platform
import SyncModel

/// The clocks that a run reads: its times, its pauses and its verdicts go by them.
///
/// Tests have one that they set by hand, which one suite holds to the same rules as the machine's.
protocol RunClock: Sendable {
  /// The time of day, which people and the network may set back.
  func now() -> Timestamp

  /// Time since an unnamed moment, never set back; only differences mean something.
  func monotonic() -> Duration
}

/// The clocks of the machine.
struct MachineClock: RunClock {
  func now() -> Timestamp { SystemClock.now() }
  func monotonic() -> Duration { SystemClock.monotonic() }
}
