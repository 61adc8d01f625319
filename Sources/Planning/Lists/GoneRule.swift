package import SyncModel

/// Finds the recorded entries of a list that are no longer in it (contract, section 11).
///
/// Only an entry that the list does not have at all is gone. One that the manifest's own patterns leave out is not:
/// nothing upstream has ended, and an edited pattern must not remove files.
package struct GoneRule: Sendable, Equatable {
  /// An entry that a run has recorded.
  package struct Recorded: Sendable {
    /// Its version is `nil` if that says nothing; then the key alone is looked for.
    package var identity: EntryIdentity
    /// Whether a present target has its output or its name: nothing is left of it then.
    package var isReplaced: Bool

    /// Nothing is checked.
    package init(_ identity: EntryIdentity, isReplaced: Bool = false) {
      self.identity = identity
      self.isReplaced = isReplaced
    }
  }

  /// The places of the recorded entries that have left the list, in their order.
  package let gone: [Int]
  /// How many keys are recorded, without those of which nothing is left.
  package let recordedKeys: Int
  /// How many of them the list does not have in any version.
  package let goneKeys: Int
  /// Whether so many are gone that the list is probably wrong (`list-suspect`): nothing may be removed.
  ///
  /// A key of which the list has another version is no sign of that.
  package let isSuspect: Bool

  /// - Parameters:
  ///   - entries: all of the whole list, of which some are `selected`.
  ///   - comparesVersions: whether the recorded versions are those of the list; what `match` captured is not.
  ///   - allowsRemovals: the option of that name, with which no list is suspect.
  package init(
    recorded: [Recorded], entries: [ListEntry], selected: [ListEntry], comparesVersions: Bool = true,
    allowsRemovals: Bool = false
  ) {
    var numbers: [ByteString: Int] = [:]
    let key = recorded.map { one in
      let number = numbers[one.identity.key] ?? numbers.count
      numbers[one.identity.key] = number
      return number
    }
    var isListed = [Bool](repeating: false, count: numbers.count)
    // Whether the list says too little to tell the versions of a key apart.
    var isVague = [Bool](repeating: !comparesVersions, count: numbers.count)
    // A key that the manifest no longer selects is as it was, whatever its versions are.
    var isSelected = [Bool](repeating: false, count: numbers.count)
    var missing = Set(recorded.lazy.filter { !$0.isReplaced && $0.identity.version != nil }.map(\.identity))
    for entry in entries {
      guard let number = numbers[ByteString(entry.key)] else { continue }
      isListed[number] = true
      if entry.version == nil { isVague[number] = true }
      if !missing.isEmpty { missing.remove(entry.identity) }
    }
    for entry in missing.isEmpty ? [] : selected {
      if let number = numbers[ByteString(entry.key)] { isSelected[number] = true }
    }
    gone = recorded.indices.filter { place in
      let isMissing =
        !isVague[key[place]] && isSelected[key[place]] && missing.contains(recorded[place].identity)
      return !recorded[place].isReplaced && (!isListed[key[place]] || isMissing)
    }
    let goneKeys = Set(gone.lazy.map { key[$0] }.filter { !isListed[$0] }).count
    self.goneKeys = goneKeys
    recordedKeys = isListed.count { $0 } + goneKeys
    isSuspect = !allowsRemovals && Self.isSuspect(gone: goneKeys, recorded: recordedKeys)
  }

  /// More than one, and more than 10 %.
  private static func isSuspect(gone: Int, recorded: Int) -> Bool { gone > 1 && 10 * gone > recorded }
}
