import Planning
import SyncModel
import Testing

@Suite struct `Gone entries` {
  private func entries(_ keys: [String]) -> [ListEntry] {
    keys.map { ListEntry(key: $0, name: $0, url: "https://example.org/\($0)") }
  }

  private func keys(_ range: Range<Int>) -> [ByteString] { range.map { ByteString("k\($0)") } }

  /// The rule where the list has these keys and all are selected.
  private func rule(_ recorded: [ByteString], _ listed: [ByteString], allowsRemovals: Bool = false)
    -> GoneRule
  {
    let entries = entries(listed.map(\.text))
    return GoneRule(
      recorded: recorded, entries: entries, outcome: ListSelection(ListRules()).outcome(entries),
      allowsRemovals: allowsRemovals)
  }

  @Test func `are those that the list does not have`() {
    let found = rule(["a", "b", "c"], ["c", "a", "d"])
    #expect(found.gone == ["b"] && found.unselected.isEmpty && !found.isSuspect)
  }

  @Test func `do not include what newest or a pattern leaves out`() throws {
    var rules = ListRules()
    rules.match = "t-${v}"
    rules.newest = 1
    rules.exclude = [try PathPattern("t-0")]
    let entries = entries(["t-2", "t-1", "t-0"])
    let outcome = ListSelection(rules).outcome(entries)
    let found = GoneRule(recorded: ["t-2", "t-1", "t-0", "t-9"], entries: entries, outcome: outcome)
    #expect(found.gone == ["t-9"])
    #expect(found.unselected == ["t-0"])
  }

  @Test(arguments: [
    (recorded: 1, gone: 1, false), (2, 1, false), (2, 2, true), (3, 2, true), (10, 1, false), (19, 2, true),
    (20, 2, false), (20, 3, true), (100, 10, false), (100, 11, true), (0, 0, false),
  ])
  func `make a list suspect if they are more than one and more than a tenth`(
    recorded: Int, gone: Int, isSuspect: Bool
  ) {
    let found = rule(keys(0..<recorded), keys(gone..<recorded) + ["new"])
    #expect(found.gone.count == gone)
    #expect(found.isSuspect == isSuspect)
    #expect(!rule(keys(0..<recorded), ["new"], allowsRemovals: true).isSuspect)
  }
}
