import Planning
import SyncModel
import Testing

@Suite struct `A selection from a list` {
  private func entry(
    _ key: String, name: String? = nil, version: String? = nil, updated: Int64? = nil,
    isPrerelease: Bool = false
  ) -> ListEntry {
    var entry = ListEntry(key: key, name: name ?? key, url: "https://example.org/\(key)")
    entry.version = version
    entry.updated = updated.map { Timestamp(seconds: $0) }
    entry.isPrerelease = isPrerelease
    return entry
  }

  private func outcome(_ entries: [ListEntry], _ change: (inout ListRules) throws -> Void) rethrows
    -> ListSelection.Outcome
  {
    var rules = ListRules()
    try change(&rules)
    return ListSelection(rules).outcome(entries)
  }

  private func keys(_ entries: [ListEntry], _ change: (inout ListRules) throws -> Void) rethrows -> [String] {
    try outcome(entries, change).selected.map(\.key)
  }

  /// `key version` of each selected entry.
  private func versions(_ entries: [ListEntry], _ change: (inout ListRules) throws -> Void) rethrows
    -> [String]
  {
    try outcome(entries, change).selected.map { "\($0.key) \($0.version ?? "-")" }
  }

  @Test func `without rules has all entries in the list's order`() {
    let entries = [entry("b"), entry("a", version: "2"), entry("c")]
    let outcome = outcome(entries) { _ in }
    #expect(outcome.selected == entries && outcome.older.isEmpty)
  }

  @Test func `includes and excludes by patterns on the key`() throws {
    let entries = ["com.apple.a", "com.apple.b", "org.x", "dir/com.apple.c"].map { entry($0, name: "file") }
    #expect(
      try keys(entries) { $0.include = [try PathPattern("com.apple.*")] } == [
        "com.apple.a", "com.apple.b", "dir/com.apple.c",
      ])
    #expect(
      try keys(entries) { $0.include = [try PathPattern("/com.apple.*")] } == ["com.apple.a", "com.apple.b"])
    #expect(
      try keys(entries) { $0.exclude = [try PathPattern("*.a"), try PathPattern("dir/")] } == [
        "com.apple.b", "org.x",
      ])
    #expect(
      try keys(entries) {
        $0.include = [try PathPattern("com.*"), try PathPattern("!*.b")]
        $0.exclude = [try PathPattern("*.a"), try PathPattern("!com.apple.a")]
      } == ["com.apple.a", "dir/com.apple.c"])
  }

  @Test func `leaves pre-releases out`() {
    let entries = [
      entry("a", version: "1.0"), entry("b", version: "2.0.0-rc.1"),
      entry("c", version: "2", isPrerelease: true),
      entry("d", isPrerelease: true), entry("e"),
    ]
    #expect(keys(entries) { _ in } == ["a", "e"])
    #expect(keys(entries) { $0.prerelease = true } == ["a", "b", "c", "d", "e"])
  }

  @Test func `takes the version that match captures from the name`() {
    let entries = [
      entry("1", name: "tool-1.10.zip", version: "x"), entry("2", name: "tool-1.9.zip"),
      entry("3", name: "other.zip"),
      entry("4", name: "tool-1.11rc1.zip"), entry("5", name: "tool-2.zip", version: "2.0.0-rc.1"),
    ]
    #expect(versions(entries) { $0.match = "tool-${v}.zip" } == ["1 1.10", "2 1.9"])
    #expect(
      versions(entries) {
        $0.match = "tool-${v}.zip"
        $0.prerelease = true
      } == ["1 1.10", "2 1.9", "4 1.11rc1", "5 2"])
  }

  @Test func `has nothing if match is no pattern`() {
    #expect(keys([entry("tool")]) { $0.match = "tool" }.isEmpty)
  }

  @Test func `keeps the newest of each key`() {
    let entries = [
      entry("a", version: "1.9"), entry("b", version: "1"), entry("a", version: "1.10"),
      entry("a", version: "1.2"),
    ]
    let one = outcome(entries) { $0.newest = 1 }
    #expect(one.selected == [entries[1], entries[2]])
    #expect(one.older == ["a", "a"])
    let two = outcome(entries) { $0.newest = 2 }
    #expect(two.selected == [entries[0], entries[1], entries[2]])
    #expect(two.older == ["a"])
  }

  @Test func `keeps the newest of all that match`() {
    let entries = ["t-1.9", "t-1.10", "u-9", "t-1.2"].map { entry($0) }
    let outcome = outcome(entries) {
      $0.match = "t-${v}"
      $0.newest = 2
    }
    #expect(outcome.selected.map(\.key) == ["t-1.9", "t-1.10"])
    #expect(outcome.older == ["t-1.2"])
  }

  @Test func `compares keys by their bytes`() {
    #expect(keys([entry("é"), entry("e\u{301}")]) { $0.newest = 1 }.count == 2)
  }

  @Test func `follows the order that is demanded`() {
    let entries = [
      entry("a", version: "1", updated: 30), entry("a", version: "3", updated: 10),
      entry("a", version: "2", updated: 40), entry("a"),
    ]
    func newest(_ order: ListRules.Order?, _ entries: [ListEntry]) -> [Int] {
      let selected = outcome(entries) {
        $0.newest = 1
        $0.order = order
      }.selected
      return entries.indices.filter { selected == [entries[$0]] }
    }
    #expect(newest(.version, entries) == [1])
    #expect(newest(.updated, entries) == [2])
    #expect(newest(.position, entries) == [0])
    #expect(newest(nil, entries) == [1], "some have versions")
    let dated = entries.map { entry($0.key, updated: $0.updated?.seconds) }
    #expect(newest(nil, dated) == [2], "some have dates")
    #expect(newest(nil, [entry("a"), entry("a", name: "b")]) == [0], "only the position is known")
  }

  @Test func `prefers the first in the list among equal ones`() {
    let entries = [entry("a", name: "1", version: "1.0"), entry("a", name: "2", version: "v1.0")]
    #expect(outcome(entries) { $0.newest = 1 }.selected.map(\.name) == ["1"])
    #expect(outcome(entries.reversed()) { $0.newest = 1 }.selected.map(\.name) == ["2"])
  }

  @Test func `agrees with a slow one on random lists`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let entries = (0..<Int.random(in: 0...30, using: &random)).map { place in
        entry(
          ["a", "b", "c"].randomElement(using: &random)!, name: "\(place)",
          version: ["1", "1.2", "1.10", "2", nil].randomElement(using: &random)!)
      }
      let count = Int.random(in: 1...4, using: &random)
      let selected = outcome(entries) {
        $0.newest = count
        $0.order = .version
      }.selected
      let expected = entries.indices.filter { place in
        let better = entries.indices.filter { other in
          guard entries[other].key == entries[place].key else { return false }
          switch (
            entries[other].version.map(VersionOrder.init), entries[place].version.map(VersionOrder.init)
          ) {
          case (let a?, let b?) where a != b: return a > b
          case (nil, .some): return false
          case (.some, nil): return true
          default: return other < place
          }
        }
        return better.count < count
      }
      #expect(selected.map(\.name) == expected.map { "\($0)" })
    }
  }

  @Test func `of many entries has no quadratic step`() throws {
    let entries = (0..<20_000).map { entry("k\($0)", name: "tool-1.\($0).zip") }
    #expect(keys(entries) { $0.newest = 1 }.count == 20_000)
    let half = outcome(entries) {
      $0.match = "tool-${v}.zip"
      $0.newest = 10_000
    }
    #expect(half.selected.first?.key == "k10000" && half.older.count == 10_000)
    #expect(
      GoneRule(
        recorded: entries.map { GoneRule.Recorded($0.identity) }, entries: entries, selected: half.selected
      ).gone.isEmpty)
  }
}
