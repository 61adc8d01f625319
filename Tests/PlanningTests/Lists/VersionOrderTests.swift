import Planning
import Testing

@Suite struct `Versions` {
  /// Each is before the next.
  private static let chains: [[String]] = [
    ["0.9", "0.14", "1", "1.2", "1.9", "1.10", "1.10.1", "2", "10"],
    // The example of semver.org.
    [
      "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0", "1.0.1",
    ],
    ["1.0~~", "1.0~~a", "1.0~", "1.0~1", "1.0~rc1", "1.0", "1.0a", "1.0.1"],
    ["2.0.dev1", "2.0rc1", "2.0rc2", "2.0rc10", "2.0", "2.0.post1"],
    ["1.2-beta", "1.2~rc1", "1.2", "1.2+5", "1.2+10", "1.2-1", "1.2-3", "1.2a", "1.2.1-1"],
    ["1.1.1", "1.1.1a", "1.1.1w", "1.1.2"],
    ["9.6", "9.6p1", "9.6p2", "9.7"],
    ["2023-12-31", "2024-01-15", "2024-02-01"],
    ["20231231", "20240115"],
    ["2024a", "2024b", "2025a"],
    ["jdk-21.0.1+12", "jdk-21.0.2+13", "jdk-21.0.10+1"],
    ["7.1.1-9", "7.1.1-29", "7.1.2-0"],
    ["1.0.0-rc.1", "1.0.0-rc.1+build", "1.0.0-rc.1.1", "1.0.0"],
    ["18446744073709551615", "18446744073709551616", "100000000000000000000000"],
    ["", "a", "1"],
  ]

  @Test(arguments: chains)
  func `stand in order`(chain: [String]) {
    for (place, earlier) in chain.enumerated() {
      for later in chain[(place + 1)...] {
        #expect(VersionOrder(earlier) < VersionOrder(later), "\(earlier) < \(later)")
        #expect(!(VersionOrder(later) < VersionOrder(earlier)), "\(later) < \(earlier)")
      }
    }
  }

  @Test(arguments: [
    ("v1.2", "1.2"), ("V1.2", "1.2"), ("1.02", "1.2"), ("1_2", "1.2"), ("1.2RC1", "1.2-rc.1"),
    ("1.2~rc1", "1.2rc1"),
    ("1.2.0-alpha.1", "1.2.0alpha1"), ("1.2.", "1.2"), ("00", "0"),
  ])
  func `are equal without what counts for nothing`(a: String, b: String) {
    #expect(VersionOrder(a) == VersionOrder(b))
    #expect(!(VersionOrder(a) < VersionOrder(b)) && !(VersionOrder(b) < VersionOrder(a)))
  }

  @Test(arguments: [
    "1.0.0-rc.1", "v1.0.0-alpha", "1.0.0-x", "1.0.0-0.3.7", "1.0.0-rc.1+5", "1.0rc1", "1.0-RC1", "1.0.rc1",
    "1.0~rc1",
    "2.0b3", "2.0a1", "1.0.dev3", "nightly", "1.0-SNAPSHOT", "beta-1.2", "1.0.0-20240115-abcdef",
    "22-preview",
  ])
  func `are pre-releases`(version: String) { #expect(VersionOrder(version).isPrerelease) }

  @Test(arguments: [
    "1.0", "1.0.0", "1.0.0+rc1", "1.1.1w", "2024b", "2024-01-15", "7.1.1-29", "1.2-3", "1.2.3-4+5",
    "1.0~bookworm",
    "jdk8u392-b08", "1.0.post1", "9.6p1", "source-1.2", "1.02.3-x", "1.0b", "b3", "",
  ])
  func `are releases`(version: String) { #expect(!VersionOrder(version).isPrerelease) }

  @Test func `a pre-release is before its release`() {
    for early in ["1.0.0-rc.1", "1.0.0rc1", "1.0.0-x", "1.0.0~rc1", "1.0.0a1", "1.0.0.dev1", "1.0.0-nightly"]
    {
      #expect(VersionOrder(early) < VersionOrder("1.0.0"), "\(early)")
    }
  }

  @Test func `have a total order`() {
    var random = SystemRandomNumberGenerator()
    let signs = Array("0011229.-~+_aab rcvéX^")
    func version() -> VersionOrder {
      let parts = ["rc", "alpha", "1.0.0-", "10", ".", "~"]
      let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Bool.random(using: &random)
          ? parts.randomElement(using: &random)! : String(signs.randomElement(using: &random)!)
      }
      return VersionOrder(text.joined())
    }
    for _ in 0..<20_000 {
      let (a, b, c) = (version(), version(), version())
      #expect([a < b, b < a, a == b].count(where: { $0 }) == 1)
      if a < b, b < c { #expect(a < c) }
      if a == b { #expect((a < c) == (b < c) && (c < a) == (c < b) && a.hashValue == b.hashValue) }
    }
  }
}
