import Platform
import SyncModel

/// Adds up a thread's time for each part of a body's work.
///
/// It exists only on request; then each block reads the clock a few times.
struct StepMeter {
  private(set) var began: Duration?
  var verifying = Duration.zero
  var unpacking = Duration.zero
  var writing = Duration.zero

  /// `nil` if it is not `wanted`.
  init?(wanted: Bool) { if !wanted { return nil } }

  /// The moment, to be handed to `add` when the work is done.
  mutating func start() -> Duration {
    let now = SystemClock.monotonic()
    if began == nil { began = now }
    return now
  }

  /// Adds the time since `start`.
  mutating func add(_ part: WritableKeyPath<StepMeter, Duration>, since start: Duration?) {
    if let start { self[keyPath: part] += SystemClock.monotonic() - start }
  }

  /// The times measured here and by `others`, on other threads, up to now.
  func times(with others: [StepMeter]) -> StepTimes {
    let now = SystemClock.monotonic()
    var all = self
    for other in others {
      all.verifying += other.verifying
      all.unpacking += other.unpacking
      all.writing += other.writing
    }
    return StepTimes(
      span: RunSpan(began: began ?? now, ended: now), verifying: all.verifying, unpacking: all.unpacking,
      writing: all.writing)
  }
}
