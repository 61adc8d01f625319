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
    #expect(found.gone == [1] && found.lostCount == 1 && found.recordedCount == 3 && !found.isSuspect)
  }

  @Test func `do not include those whose place another target has taken`() {
    var all = recorded(["a", "b", "c"])
    all[1].isReplaced = true
    let found = GoneRule(recorded: all, entries: entries(["a"]), selected: entries(["a"]))
    #expect(found.gone == [2] && found.recordedCount == 2)
  }

  @Test func `do not make the list suspect if their outputs have gone, too`() {
    var all = recorded(keys(0..<12))
    let listed = entries(keys(0..<10).map(\.text))
    #expect(GoneRule(recorded: all, entries: listed, selected: listed).isSuspect)
    for place in 10..<12 { all[place].hasOutput = false }
    let found = GoneRule(recorded: all, entries: listed, selected: listed)
    #expect(found.gone == [10, 11] && found.lostCount == 0 && found.recordedCount == 10 && !found.isSuspect)
  }

  @Test func `count once if their output had another name before`() {
    let all = recorded(["a", "b", "c", "a", "b", "c"])
    let found = GoneRule(recorded: all, entries: entries(["a", "b"]), selected: entries(["a", "b"]))
    #expect(found.gone == [2, 5] && found.lostCount == 1 && found.recordedCount == 6 && !found.isSuspect)
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
    #expect(found.lostCount == (row.listed.isEmpty ? 1 : 0))
    // What a pattern leaves out is not gone, whatever its versions are.
    #expect(
      GoneRule(recorded: [old], entries: listed, selected: []).gone.isEmpty == !row.listed.isEmpty)
    var replaced = old
    replaced.isReplaced = true
    #expect(GoneRule(recorded: [replaced], entries: listed, selected: listed).gone.isEmpty)
  }

  @Test func `are found where a secret is a part of what a record has hidden`() {
    var entry = ListEntry(key: "k-hunter2", name: "k", url: "https://example.org/k")
    entry.version = "1-hunter2"
    let secrets = SecretMask(values: ["hunter2"])
    // The second one is from before the secret was one.
    for key in ["k-***", "k-hunter2"] as [ByteString] {
      let known = [GoneRule.Recorded(EntryIdentity(key: key, version: "1-***"))]
      #expect(GoneRule(recorded: known, entries: [entry], selected: [entry], secrets: secrets).gone.isEmpty)
      let older = [GoneRule.Recorded(EntryIdentity(key: key, version: "0-***"))]
      #expect(GoneRule(recorded: older, entries: [entry], selected: [entry], secrets: secrets).gone == [0])
    }
  }

  /// The rule where all are of key `k`; those `replaced` are at the places of present targets.
  private func rule(_ recorded: [String], listed: [String], replaced: Set<String> = []) -> GoneRule {
    let old = recorded.map {
      GoneRule.Recorded(
        EntryIdentity(key: "k", version: replaced.contains($0) ? nil : ByteString($0)),
        isReplaced: replaced.contains($0))
    }
    let entries = listed.map { version in
      var entry = ListEntry(key: "k", name: "k", url: "https://example.org/k")
      entry.version = version
      return entry
    }
    return GoneRule(recorded: old, entries: entries, selected: entries)
  }

  private static let successions:
    [(recorded: [String], listed: [String], replaced: Set<String>, gone: Int, lost: Int)] = [
      // Each has a successor, whether it is recorded or not.
      (["1", "2"], ["3", "4"], [], 2, 0),
      (["1", "2"], ["2", "3"], ["2"], 1, 0),
      (["1", "2"], ["2"], ["2"], 1, 0),
      (["1", "2"], ["2"], [], 1, 0),
      // One for two.
      (["1", "2"], ["3"], [], 2, 1),
      (["1", "2", "3"], ["3"], ["3"], 2, 1),
      // None.
      (["1", "2"], [], [], 2, 2),
      // At two outputs.
      (["1", "1"], ["2"], [], 2, 0),
    ]

  @Test(arguments: successions.indices) func `are lost if nothing of their key has come for them`(row: Int) {
    let row = Self.successions[row]
    let found = rule(row.recorded, listed: row.listed, replaced: row.replaced)
    #expect(found.gone.count == row.gone && found.lostCount == row.lost)
    #expect(found.recordedCount == row.recorded.count)
  }

  @Test func `make a list suspect if many versions of one key are lost`() {
    let versions = (1...20).map(String.init)
    let found = rule(versions, listed: ["20"], replaced: ["20"])
    #expect(found.gone.count == 19 && found.lostCount == 18 && found.recordedCount == 20 && found.isSuspect)
    #expect(rule(versions, listed: ["21"]).isSuspect)
    #expect(!rule(versions, listed: (11...30).map(String.init), replaced: Set(versions[10...])).isSuspect)
  }

  @Test func `make no list suspect if their keys have other versions`() {
    let old = (0..<5).map { GoneRule.Recorded(EntryIdentity(key: ByteString("k\($0)"), version: "1")) }
    let listed = (0..<5).map { number in
      var entry = ListEntry(key: "k\(number)", name: "k", url: "https://example.org/k")
      entry.version = "2"
      return entry
    }
    let found = GoneRule(recorded: old, entries: listed, selected: listed)
    #expect(found.gone.count == 5 && found.lostCount == 0 && !found.isSuspect)
  }

  @Test(arguments: [
    (recorded: 1, gone: 1, false), (2, 1, false), (2, 2, true), (3, 2, true), (10, 1, false), (19, 2, true),
    (20, 2, false), (20, 3, true), (100, 10, false), (100, 11, true), (0, 0, false),
  ])
  func `make a list suspect if they are more than one and more than a tenth`(
    recorded: Int, gone: Int, isSuspect: Bool
  ) {
    let found = rule(keys(0..<recorded), keys(gone..<recorded) + ["new"])
    #expect(found.gone.count == gone && found.lostCount == gone)
    #expect(found.isSuspect == isSuspect)
    #expect(!rule(keys(0..<recorded), ["new"], allowsRemovals: true).isSuspect)
  }

  private static let rows = ListFields(columns: [("version", "/tag")])
  private static let origins: [(match: String?, fields: ListFields, recorded: String?, counts: Bool)] = [
    (nil, rows, "json /tag", true), (nil, ListFields(), "json", true),
    // Other fields, or none that is known, as in records of earlier versions and of what `match` captured.
    (nil, rows, "json /name", false), (nil, rows, "json", false), (nil, rows, nil, false),
    ("a-${v}", rows, "json /tag", false), ("a-${v}", rows, nil, false),
  ]

  @Test(arguments: origins.indices) func `have the version that the same part of the list said`(row: Int) {
    let row = Self.origins[row]
    var list = ListDeclaration(
      template: "t", span: SourceSpan(line: 1, column: 1, endColumn: 2), url: .web("https://example.org/l"),
      format: .json, fields: row.fields)
    list.rules.match = row.match
    var revision = ListRevision()
    (revision.version, revision.versionOrigin) = ("1", row.recorded)
    var record = Situation.inOrder().record!
    record.definition = [
      DefinitionField(name: "entry", value: "k"),
      DefinitionField(name: DefinitionField.revision, value: revision.text),
      DefinitionField(name: DefinitionField.template, value: "t"),
    ]
    func identity(isReplaced: Bool) -> EntryIdentity {
      GoneRule.Recorded(record, of: list, isReplaced: isReplaced).identity
    }
    #expect(identity(isReplaced: false) == EntryIdentity(key: "k", version: row.counts ? "1" : nil))
    #expect(identity(isReplaced: true) == EntryIdentity(key: "k", version: nil))
  }
}
