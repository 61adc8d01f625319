import SyncModel
import Testing

@testable import Execution

/// What every ``RunClock`` does, the machine's and the one that a test moves.
@Suite struct `The clocks of a run` {
  enum Kind: CaseIterable { case machine, manual }

  private func clock(_ kind: Kind) -> any RunClock {
    switch kind {
    case .machine: MachineClock()
    case .manual: ManualClock()
    }
  }

  /// Returns when at least `time` has passed.
  private func letPass(_ time: Duration, on clock: any RunClock) {
    if let manual = clock as? ManualClock { return manual.advance(by: time) }
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {}
  }

  @Test(arguments: Kind.allCases) func `the monotonic one never goes back`(_ kind: Kind) {
    let clock = clock(kind)
    var last = clock.monotonic()
    for number in 0..<1000 {
      if number.isMultiple(of: 100) { letPass(.nanoseconds(10), on: clock) }
      let time = clock.monotonic()
      #expect(time >= last)
      last = time
    }
  }

  @Test(arguments: Kind.allCases) func `time that passes is seen by both, in nanoseconds`(_ kind: Kind) {
    let clock = clock(kind)
    let (day, monotonic) = (clock.now(), clock.monotonic())
    letPass(.microseconds(500), on: clock)
    let passed = clock.monotonic() - monotonic
    #expect(passed >= .microseconds(500))
    // The machine's time of day may be corrected meanwhile, but not by a minute.
    #expect(clock.now() - day > .seconds(-60) && clock.now() - day < passed + .seconds(60))
    if kind == .manual { #expect(clock.now() - day == passed) }
  }

  @Test(arguments: Kind.allCases) func `the time of day counts from 1970`(_ kind: Kind) {
    // From 2020 to 2200.
    let years = Timestamp(seconds: 1_577_836_800)...Timestamp(seconds: 7_258_118_400)
    #expect(years.contains(clock(kind).now()))
  }

  @Test(arguments: Kind.allCases) func `any thread may read them`(_ kind: Kind) async {
    let clock = clock(kind)
    let first = clock.monotonic()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let times = (0..<1000).map { _ in clock.monotonic() }
          return times.allSatisfy { $0 >= first } && times == times.sorted()
        }
      }
      for await isInOrder in group { #expect(isInOrder) }
    }
  }

  @Test func `a person may set the time of day back, not the monotonic clock`() {
    let clock = ManualClock()
    let monotonic = clock.monotonic()
    clock.set(Timestamp(seconds: 1_600_000_000))
    clock.advance(by: .seconds(-5))
    #expect(clock.now() == Timestamp(seconds: 1_600_000_000))
    #expect(clock.monotonic() == monotonic)
  }
}
