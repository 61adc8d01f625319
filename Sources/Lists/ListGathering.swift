package import SyncModel

/// The entries of a list, of which each identity is there once.
///
/// The identity is the key together with the version: a feed may have several versions of one thing. An entry that is
/// repeated as it was is ignored. If two entries of one identity differ, the one with the later `updated` is kept, at the
/// place of the first. If neither is later, that is a fault, since nothing says which one is meant.
package struct ListGathering: Sendable {
  /// In the order of the list.
  package private(set) var entries: [ListEntry] = []
  /// The places of ``entries``; empty until they are needed.
  private var places: [EntryIdentity: Int] = [:]

  /// Without entries.
  package init() {}

  /// Adds the entries of one more page; the pages' order is the list's.
  package mutating func add(_ page: ListPage) throws(ListFault) { try add(page.entries) }

  mutating func add(_ more: [ListEntry]) throws(ListFault) {
    if entries.isEmpty, more.count <= ListLimits.entries, Self.areDistinct(more) {
      // Most lists are one page without repetitions; then it is not copied, and no place is remembered.
      entries = more
      return
    }
    if places.isEmpty {
      for (place, entry) in entries.enumerated() { places[entry.identity] = place }
    }
    for entry in more { try add(entry) }
  }

  /// Whether no two have the same hash, and so none has the same identity.
  private static func areDistinct(_ entries: [ListEntry]) -> Bool {
    var hashes = Set<Int>(minimumCapacity: entries.count)
    return entries.allSatisfy { hashes.insert($0.identity.hashValue).inserted }
  }

  private mutating func add(_ entry: ListEntry) throws(ListFault) {
    let identity = entry.identity
    guard let place = places.updateValue(entries.count, forKey: identity) else {
      guard entries.count < ListLimits.entries else { throw ListFault(.tooManyEntries) }
      return entries.append(entry)
    }
    places[identity] = place
    if entries[place] == entry { return }
    guard let old = entries[place].updated, let new = entry.updated, old != new else {
      throw ListFault(.repeatedKey(entry.key))
    }
    if new > old { entries[place] = entry }
  }
}
