import SyncModel

/// How long to wait before the next try: exponential with full jitter, so that clients spread out.
package struct Backoff: Sendable {
  /// Waits longer than this are a failure to report, not a pause to make (contract, section 5).
  package static let longestRetryAfterSeconds: Int64 = 60

  private static let firstCeiling: Double = 1
  private static let lastCeiling: Double = 30
  private var random: SplitMix

  /// One seed gives the same waits again.
  package init(seed: UInt64) { random = SplitMix(state: seed) }

  /// Between zero and 1 s × 2^(attempt-1), at most 30 s, and never less than `floor` seconds.
  package mutating func delay(attempt: Int, floor: Int64?) -> Duration {
    var ceiling = Self.firstCeiling
    for _ in 1..<max(1, min(attempt, 10)) { ceiling *= 2 }
    let jittered = random.unit() * min(ceiling, Self.lastCeiling)
    return .milliseconds(Int64(max(jittered, Double(floor ?? 0)) * 1000))
  }
}

/// A small generator whose sequence depends on its seed alone.
struct SplitMix: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// At least 0, below 1.
  mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
