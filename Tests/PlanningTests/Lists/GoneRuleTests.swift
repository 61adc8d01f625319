import Planning
import SyncModel
import Testing

@Suite struct `Gone entries` {
  private func entries(_ keys: [String]) -> [ListEntry] {
    keys.map { ListEntry(key: $0, name: $0, url: "https://example.org/\($0)") }
  }

  private func keys(_ range: Range<Int>) -> [ByteString] { range.map { ByteString("k\($0)") } }

  private func recorded(_ keys: [ByteString]) -> [GoneRule.Recorded] {
    keys.map { GoneRule.Recorded(EntryIdentity(key: $0, version: nil)) }
  }

  /// The rule where the list has these keys.
  private func rule(_ recorded: [ByteString], _ listed: [ByteString], allowsRemovals: Bool = false)
    -> GoneRule
  {
    let entries = entries(listed.map(\.text))
    return GoneRule(
      recorded: self.recorded(recorded), entries: entries, selected: entries, allowsRemovals: allowsRemovals)
  }

  @Test func `are those that the list does not have`() {
    let found = rule(["a", "b", "c"], ["c", "a", "d"])
    #expect(found.gone == [1] && found.goneKeys == 1 && found.recordedKeys == 3 && !found.isSuspect)
  }

  @Test func `do not include those whose place another target has taken`() {
    var all = recorded(["a", "b", "c"])
    all[1].isReplaced = true
    let found = GoneRule(recorded: all, entries: entries(["a"]), selected: entries(["a"]))
    #expect(found.gone == [2] && found.recordedKeys == 2)
  }

  private static let versions: [(recorded: String?, listed: [String?], isGone: Bool)] = [
    ("1", ["1", "2"], false), ("1", ["2", "3"], true), ("1", ["2"], true), ("1", [nil], false),
    ("1", [nil, "2"], false), (nil, ["2"], false), ("1", [], true),
  ]

  @Test(arguments: versions.indices)
  func `are versions that the list no longer has, if it tells versions`(row: Int) {
    let row = Self.versions[row]
    let listed = row.listed.map { version in
      var entry = ListEntry(key: "k", name: "k", url: "https://example.org/k")
      entry.version = version
      return entry
    }
    let old = GoneRule.Recorded(EntryIdentity(key: "k", version: row.recorded.map { ByteString($0) }))
    let found = GoneRule(recorded: [old], entries: listed, selected: listed)
    #expect(found.gone.isEmpty == !row.isGone)
    #expect(found.goneKeys == (row.listed.isEmpty ? 1 : 0))
    // What `match` captured is not what the list calls its version.
    #expect(
      GoneRule(recorded: [old], entries: listed, selected: listed, comparesVersions: false).gone.isEmpty
        == !row.listed.isEmpty)
    // What a pattern leaves out is not gone, whatever its versions are.
    #expect(
      GoneRule(recorded: [old], entries: listed, selected: []).gone.isEmpty == !row.listed.isEmpty)
    var replaced = old
    replaced.isReplaced = true
    #expect(GoneRule(recorded: [replaced], entries: listed, selected: listed).gone.isEmpty)
  }

  @Test func `make no list suspect if their keys have other versions`() {
    let old = (0..<5).map { GoneRule.Recorded(EntryIdentity(key: ByteString("k\($0)"), version: "1")) }
    let listed = (0..<5).map { number in
      var entry = ListEntry(key: "k\(number)", name: "k", url: "https://example.org/k")
      entry.version = "2"
      return entry
    }
    let found = GoneRule(recorded: old, entries: listed, selected: listed)
    #expect(found.gone.count == 5 && found.goneKeys == 0 && !found.isSuspect)
  }

  @Test(arguments: [
    (recorded: 1, gone: 1, false), (2, 1, false), (2, 2, true), (3, 2, true), (10, 1, false), (19, 2, true),
    (20, 2, false), (20, 3, true), (100, 10, false), (100, 11, true), (0, 0, false),
  ])
  func `make a list suspect if they are more than one and more than a tenth`(
    recorded: Int, gone: Int, isSuspect: Bool
  ) {
    let found = rule(keys(0..<recorded), keys(gone..<recorded) + ["new"])
    #expect(found.gone.count == gone && found.goneKeys == gone)
    #expect(found.isSuspect == isSuspect)
    #expect(!rule(keys(0..<recorded), ["new"], allowsRemovals: true).isSuspect)
  }
}
