import Planning
import SyncModel
import Testing

/// What a list has in the place of locked entries.
@Suite struct EntryPairingTests {
  private func entries(_ texts: [String]) -> [ListEntry] {
    texts.map { text in
      let parts = text.split(separator: "-").map(String.init)
      var entry = ListEntry(key: parts[0], name: text, url: "https://example.org/\(text)")
      entry.version = parts.count > 1 ? parts[1] : nil
      return entry
    }
  }

  private static let rows: [(locked: [String], listed: [String], pairs: [String: String])] = [
    (["a", "b"], ["b", "c"], ["b": "b"]),
    // A single version is replaced by another single one.
    (["a-1", "b"], ["b", "a-2"], ["a-1": "a-2", "b": "b"]),
    (["a-1"], ["a"], ["a-1": "a"]),
    (["a-1", "a-2"], ["a-2", "a-1"], ["a-1": "a-1", "a-2": "a-2"]),
    // Of several, each is a target of its own.
    (["a-1", "a-2"], ["a-2", "a-3"], ["a-2": "a-2"]),
    (["a-1"], ["a-2", "a-3"], [:]),
    (["a-1"], ["a-1", "a-2"], ["a-1": "a-1"]),
    (["a-1", "a-2"], ["a-3"], [:]),
  ]

  @Test(arguments: rows.indices)
  func `is that with the same identity, or the only version of the key`(row: Int) {
    let row = Self.rows[row]
    let (locked, listed) = (entries(row.locked), entries(row.listed))
    let pairing = EntryPairing(locked: locked, listed: listed)
    for entry in locked {
      #expect(pairing.listed[entry.identity].map { listed[$0].name } == row.pairs[entry.name])
    }
    for (place, entry) in listed.enumerated() {
      let old = pairing.locked[place].map { locked[$0].name }
      #expect(old == row.pairs.first { $0.value == entry.name }?.key)
    }
  }

  @Test(
    arguments: [
      (["a"], ["a", "b"], ["b"]), ([], ["b-1"], ["b"]), (["a-1"], ["a-2", "a-3"], ["a 2", "a 3"]),
      (["a-1"], ["a-1", "a-2"], ["a 2"]), ([], ["a-1", "a-2"], ["a 1", "a 2"]),
      (["a-1", "a-2"], ["a-3"], ["a 3"]), (["a-1"], ["a-2"], []),
    ] as [([String], [String], [String])])
  func `names what is not locked, with its version where the key names several`(
    locked: [String], listed: [String], names: [String]
  ) {
    let pairing = EntryPairing(locked: entries(locked), listed: entries(listed))
    #expect(
      pairing.unlocked.map { ([$0.key.text] + [$0.version?.text].compactMap(\.self)).joined(separator: " ") }
        == names)
  }
}
