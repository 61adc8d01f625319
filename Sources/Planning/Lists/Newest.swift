import SyncModel

/// The newest of a list's candidates: so many of each key or, with `match`, of all.
struct Newest {
  /// For each candidate whether it is one of the newest.
  private(set) var isKept: [Bool]

  private let candidates: [ListSelection.Candidate]
  private let entries: [ListEntry]
  private let order: ListRules.Order

  init(_ count: Int, _ rules: ListRules, _ candidates: [ListSelection.Candidate], _ entries: [ListEntry]) {
    self.candidates = candidates
    self.entries = entries
    isKept = Array(repeating: true, count: candidates.count)
    order = rules.order ?? Self.order(candidates, entries)
    let groups =
      rules.match == nil
      ? Self.groups(candidates, entries, largerThan: count)
      : candidates.count > count ? [Array(candidates.indices)] : []
    for group in groups {
      for place in sorted(group)[count...] { isKept[place] = false }
    }
  }

  /// The first order for which at least one candidate has what it compares; the others come last in it.
  private static func order(
    _ candidates: [ListSelection.Candidate], _ entries: [ListEntry]
  ) -> ListRules.Order {
    if candidates.contains(where: { $0.captured != nil || entries[$0.index].version != nil }) {
      return .version
    }
    return candidates.contains { entries[$0.index].updated != nil } ? .updated : .position
  }

  /// The places of the candidates of each key that has more than `count`.
  private static func groups(
    _ candidates: [ListSelection.Candidate], _ entries: [ListEntry], largerThan count: Int
  ) -> [[Int]] {
    var numbers: [ByteString: Int] = [:]
    numbers.reserveCapacity(candidates.count)
    var sizes: [Int] = []
    let numberOf = candidates.map { candidate in
      let number = Self.number(&numbers[ByteString(entries[candidate.index].key), default: -1], sizes.count)
      if number == sizes.count { sizes.append(0) }
      sizes[number] += 1
      return number
    }
    var places: [Int: [Int]] = [:]
    for (place, number) in numberOf.enumerated() where sizes[number] > count {
      places[number, default: []].append(place)
    }
    return Array(places.values)
  }

  private static func number(_ known: inout Int, _ next: Int) -> Int {
    if known < 0 { known = next }
    return known
  }

  /// The newest first; of equal ones the first in the list.
  private func sorted(_ places: [Int]) -> [Int] {
    switch order {
    case .position: places
    case .version:
      sorted(places) { place in
        (candidates[place].captured ?? entries[candidates[place].index].version).map { VersionOrder($0) }
      }
    case .updated: sorted(places) { entries[candidates[$0].index].updated }
    }
  }

  private func sorted<Value: Comparable>(_ places: [Int], by value: (Int) -> Value?) -> [Int] {
    places.map { (place: $0, value: value($0)) }.sorted { a, b in
      switch (a.value, b.value) {
      case (let x?, let y?) where x != y: y < x
      case (.some, nil): true
      case (nil, .some): false
      default: a.place < b.place
      }
    }.map(\.place)
  }
}
