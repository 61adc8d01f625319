#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A moment on a monotonic clock that stops while the system sleeps.
///
/// The standard library's `SuspendingClock.Instant` means the same, but its layout is opaque: each of the dozens of
/// copies during a reply goes through a table of functions.
struct MonotonicInstant: Comparable, Sendable {
  /// Since an unnamed moment.
  private let nanoseconds: Int64

  /// Before every other.
  static let zero = MonotonicInstant(nanoseconds: 0)

  static var now: MonotonicInstant {
    var time = timespec()
    #if canImport(Darwin)
      unsafe clock_gettime(CLOCK_UPTIME_RAW, &time)
    #else
      unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (a: MonotonicInstant, b: MonotonicInstant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The latest moment, if `duration` exceeds it.
  static func + (moment: MonotonicInstant, duration: Duration) -> MonotonicInstant {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLate) = moment.nanoseconds.addingReportingOverflow(whole)
    let (end, isBeyond) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard !isTooLong, !isTooLate, !isBeyond else {
      return MonotonicInstant(nanoseconds: seconds < 0 ? .min : .max)
    }
    return MonotonicInstant(nanoseconds: end)
  }

  /// How long after `b`.
  static func - (a: MonotonicInstant, b: MonotonicInstant) -> Duration {
    .nanoseconds(a.nanoseconds) - .nanoseconds(b.nanoseconds)
  }
}
