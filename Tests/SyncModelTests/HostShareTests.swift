import SyncModel
import Testing

@Suite struct HostShareTests {
  private func limits(connections: Int, rate: RequestRate?) -> HostLimits {
    var limits = HostLimits(connections: ["a.example": connections], otherwise: 8)
    if let rate { limits.rates["a.example"] = rate }
    return limits
  }

  @Test(arguments: [(32, 16, 2), (33, 16, 2), (8, 16, 1), (1, 100_000, 1), (6, 1, 6)])
  func `each run has its part of the connections, and at least one`(_ all: Int, _ runs: Int, _ part: Int) {
    #expect(limits(connections: all, rate: nil).share(of: runs).limit(for: "a.example") == part)
  }

  @Test func `the limit that holds without a host's own is divided, too`() {
    #expect(HostLimits().share(of: 4).limit(for: "b.example") == 2)
  }

  @Test(arguments: [
    (RequestRate(count: 32, period: .seconds(1)), 16, RequestRate(count: 2, period: .seconds(1))),
    (RequestRate(count: 3, period: .seconds(1)), 6, RequestRate(count: 1, period: .seconds(2))),
    (RequestRate(count: 5, period: .seconds(60)), 10, RequestRate(count: 1, period: .seconds(120))),
    (RequestRate(count: 5, period: .seconds(60)), 2, RequestRate(count: 2, period: .seconds(60))),
  ])
  func `so is the rate, over a longer time if there are more runs than requests`(
    _ all: RequestRate, _ runs: Int, _ part: RequestRate
  ) {
    #expect(limits(connections: 8, rate: all).share(of: runs).rate(for: "a.example") == part)
    var others = HostLimits()
    others.otherRate = all
    #expect(others.share(of: runs).rate(for: "b.example") == part)
  }
}
