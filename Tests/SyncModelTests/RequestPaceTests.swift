import Testing

@testable import SyncModel

/// When requests to a host may begin by its rate; no test waits.
@Suite struct RequestPaceTests {
  private static let rate = RequestRate(count: 3, period: .seconds(1))

  /// The times at which each of `count` requests begins; all wait from the start and are sent `delay` later.
  private func times(_ count: Int, _ rate: RequestRate, delay: (Int) -> Duration = { _ in .zero })
    -> [Duration]
  {
    var pace = RequestPace(rate)
    var now = Duration.zero
    var times: [Duration] = []
    var goingOut: [Duration] = []
    while times.count < count || !goingOut.isEmpty {
      for time in goingOut.sorted() where time <= now { pace.begun(at: time) }
      goingOut.removeAll { $0 <= now }
      if times.count == count, goingOut.isEmpty { break }
      if times.count < count, pace.mayBegin(at: now) {
        pace.begins()
        goingOut.append(now + delay(times.count))
        times.append(now + delay(times.count))
        continue
      }
      let next = times.count < count ? pace.timeToNext(at: now).map { now + $0 } : nil
      guard let step = ([next].compactMap { $0 } + goingOut).min() else {
        Issue.record("nobody can go on")
        break
      }
      now = max(step, now + .nanoseconds(1))
    }
    return times.sorted()
  }

  @Test(arguments: [1, 2, 3, 10], [Duration.seconds(1), .seconds(60)])
  func `in any span of the period the rate is kept, and no request waits longer than needed`(
    count: Int, period: Duration
  ) {
    let times = times(4 * count + 1, RequestRate(count: count, period: period))
    for (earlier, later) in zip(times, times.dropFirst(count)) {
      #expect(later - earlier > period)
      #expect(later - earlier < period + .milliseconds(11))
    }
    #expect(times[count - 1] == .zero)
  }

  @Test func `a request counts at the time when it is sent`() {
    // Requests with a new connection are sent after 700 ms.
    let times = times(12, Self.rate) { $0 < 3 ? .milliseconds(700) : .milliseconds(1) }
    for (earlier, later) in zip(times, times.dropFirst(3)) { #expect(later - earlier > .seconds(1)) }
  }

  @Test func `while the maximal number is starting, the time of the next is unknown`() {
    var pace = RequestPace(Self.rate)
    for _ in 0..<3 { pace.begins() }
    #expect(pace.mayBegin(at: .zero) == false)
    #expect(pace.timeToNext(at: .zero) == nil)
    pace.begun(at: .milliseconds(100))
    #expect(pace.timeToNext(at: .milliseconds(100)) == .milliseconds(1010))
    #expect(pace.mayBegin(at: .milliseconds(1110)) == true)
  }

  @Test func `the period can be scaled for tests`() {
    var pace = RequestPace(RequestRate(count: 1, period: .seconds(1)), timeScale: 0.5)
    pace.begins()
    pace.begun(at: .zero)
    #expect(pace.timeToNext(at: .zero) == .milliseconds(505))
  }

  @Test(arguments: [(3, 1, 3), (1, 60, 1), (100, 60, 2), (120, 60, 2), (121, 60, 3)])
  func `a rate per second is rounded up`(count: Int, seconds: Int, perSecond: Int) {
    #expect(RequestRate(count: count, period: .seconds(seconds)).perSecond == perSecond)
  }

  @Test func `a host that is named without a rate has none`() {
    var limits = HostLimits(connections: ["a.example": 2, "::1": 9], otherwise: 4)
    #expect(limits.rate(for: "b.example") == nil)
    limits.otherRate = Self.rate
    limits.rates["::1"] = RequestRate(count: 100, period: .seconds(60))
    #expect(limits.rate(for: "a.example") == nil)
    #expect(limits.rate(for: "b.example") == Self.rate)
    #expect(limits.rate(for: "[::1]")?.count == 100)
    #expect(limits.atOnce(for: "a.example") == 2)
    #expect(limits.atOnce(for: "b.example") == 3)
    #expect(limits.atOnce(for: "[::1]") == 2)
    #expect(limits.rateForCache(at: "b.example") == nil)
    #expect(limits.rateForCache(at: "[::1]")?.count == 100)
  }
}
