import Foundation
import Testing

@testable import Transfer

struct MomentTests {
  @Test func `time increases, and adding a duration gives a later moment`() {
    let (first, second) = (MonotonicInstant.now, MonotonicInstant.now)
    #expect(first <= second)
    #expect(first - first == .zero)
    usleep(20_000)
    let pause = MonotonicInstant.now - first
    #expect(pause >= .milliseconds(20) && pause < .seconds(600))
    for duration in [Duration.nanoseconds(1), .milliseconds(1500), .seconds(86_400), .milliseconds(-1500)] {
      #expect((first + duration) - first == duration)
      #expect((first + duration < first) == (duration < .zero))
    }
  }

  @Test(arguments: [
    Duration.seconds(Int64.max), .seconds(Int64.max / 1_000_000_000), .seconds(10_000_000_000),
  ])
  func `a duration beyond the clock's range gives the latest moment`(_ duration: Duration) {
    let end = MonotonicInstant.now + duration
    #expect(end > .now + .seconds(1_000_000_000))
    #expect(end + .seconds(1) == end)
    #expect(end - .now > .seconds(1_000_000_000))
  }
}
