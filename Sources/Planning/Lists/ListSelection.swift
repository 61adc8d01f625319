package import SyncModel

/// Selects the entries of a list from which targets are made (contract, section 11).
///
/// The time grows with the number of entries, and with its logarithm if `newest` has to sort them.
package struct ListSelection: Sendable {
  /// What a selection leaves and what it takes away.
  package struct Outcome: Sendable, Equatable {
    /// In the list's order; with `match`, their versions are the captured ones.
    package var selected: [ListEntry] = []
    /// The keys of entries that only `newest` has left out, in the list's order. The key of a selected entry may be
    /// among them, for an earlier version of it.
    package var older: [ByteString] = []
  }

  private let rules: ListRules
  private let pattern: VersionPattern?

  /// A `match` in `rules` must be the text of a ``VersionPattern``; nothing matches any other text.
  package init(_ rules: ListRules) {
    self.rules = rules
    pattern = rules.match.flatMap { try? VersionPattern($0) }
  }

  /// Selects from all entries of a list, in its order.
  package func outcome(_ entries: [ListEntry]) -> Outcome {
    let candidates = candidates(entries)
    var isKept: [Bool]?
    if let newest = rules.newest { isKept = Newest(newest, rules, candidates, entries).isKept }
    // Most lists are taken as they are.
    if candidates.count == entries.count, rules.match == nil, isKept?.contains(false) != true {
      return Outcome(selected: entries)
    }
    var outcome = Outcome()
    for (place, candidate) in candidates.enumerated() {
      guard isKept?[place] ?? true else {
        outcome.older.append(ByteString(entries[candidate.index].key))
        continue
      }
      outcome.selected.append(entries[candidate.index])
      if let version = candidate.captured {
        let place = outcome.selected.count - 1
        outcome.selected[place].version = version
        outcome.selected[place].isVersionCaptured = true
      }
    }
    return outcome
  }

  // MARK: Which are considered

  /// An entry that no rule but `newest` leaves out.
  struct Candidate {
    var index: Int
    /// The version that `match` captured.
    var captured: String?
  }

  private func candidates(_ entries: [ListEntry]) -> [Candidate] {
    var candidates: [Candidate] = []
    candidates.reserveCapacity(entries.count)
    for index in entries.indices where isIncluded(entries[index].key) {
      var candidate = Candidate(index: index)
      if rules.match != nil {
        guard let version = pattern?.version(in: entries[index].name) else { continue }
        candidate.captured = version
      }
      if rules.prerelease || !isPrerelease(entries[index], candidate) { candidates.append(candidate) }
    }
    return candidates
  }

  /// A release's name may call it a pre-release where the file's name does not.
  private func isPrerelease(_ entry: ListEntry, _ candidate: Candidate) -> Bool {
    entry.isPrerelease || entry.version.map(VersionOrder.isPrerelease) ?? false
      || candidate.captured.map(VersionOrder.isPrerelease) ?? false
  }

  private func isIncluded(_ key: String) -> Bool {
    guard !rules.include.isEmpty || !rules.exclude.isEmpty else { return true }
    let path = Array(key.utf8).split(separator: UInt8(ascii: "/"))
    return (rules.include.isEmpty || rules.include.choose(path, isFolder: false))
      && !rules.exclude.excludes(path, isFolder: false)
  }
}
