package import SyncModel

/// Finds for the entries that a lock has of a list those that the list has in their place now.
///
/// That is the entry with the same identity. Without one, a new version takes the place of an old one only if each side
/// has a single entry of that key: with several versions of a key, each is a target of its own.
package struct EntryPairing: Sendable {
  /// By the identity of a locked entry, the place in the list of what it is now; none for one that has left the list.
  package private(set) var listed: [EntryIdentity: Int] = [:]
  /// The same the other way round: by the place in the list, that of the locked entry.
  package private(set) var locked: [Int: Int] = [:]
  /// The entries of the list that take the place of no locked one, in its order; without a version where no other entry,
  /// locked or not, has the key.
  package private(set) var unlocked: [EntryIdentity] = []

  /// Both are selected entries of one list.
  package init(locked old: [ListEntry], listed new: [ListEntry]) {
    var places: [EntryIdentity: Int] = [:]
    var ofKey: [ByteString: (count: Int, place: Int)] = [:]
    for (place, entry) in new.enumerated() {
      let identity = entry.identity
      places[identity] = place
      ofKey[identity.key] = ((ofKey[identity.key]?.count ?? 0) + 1, place)
    }
    var lockedOfKey: [ByteString: Int] = [:]
    for entry in old { lockedOfKey[ByteString(entry.key), default: 0] += 1 }
    for (number, entry) in old.enumerated() {
      let identity = entry.identity
      var place = places[identity]
      if place == nil, lockedOfKey[identity.key] == 1, let only = ofKey[identity.key], only.count == 1 {
        place = only.place
      }
      guard let place else { continue }
      listed[identity] = place
      locked[place] = number
    }
    for (place, entry) in new.enumerated() where locked[place] == nil {
      var identity = entry.identity
      let isAlone = ofKey[identity.key]?.count == 1 && lockedOfKey[identity.key] == nil
      if isAlone { identity.version = nil }
      unlocked.append(identity)
    }
  }
}
