package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The machine's clocks; modules below the wiring do not read them.
package enum SystemClock {
  /// The time of day, which people and the network may set back.
  package static func now() -> Timestamp { Timestamp(read(CLOCK_REALTIME)) }

  /// Time since an unnamed moment, never set back; only differences mean something.
  package static func monotonic() -> Duration {
    let time = read(CLOCK_MONOTONIC)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// Blocks this thread so long; a signal may end it.
  package static func pause(milliseconds: Int) {
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    unsafe nanosleep(&time, nil)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time
  }
}
