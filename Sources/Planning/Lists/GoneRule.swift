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
    /// Whether its output is there and unedited. Otherwise no list can lose it: an edit stays, and what is missing was removed
    /// by a shard, or by a run that was killed.
    package var hasOutput = true

    /// Nothing is checked.
    package init(_ identity: EntryIdentity, isReplaced: Bool = false) {
      self.identity = identity
      self.isReplaced = isReplaced
    }

    /// A record of an entry of `list`.
    ///
    /// Its version counts only if what says the versions of the list now has said it: what an earlier `match` captured, or
    /// another field of the rows had, may be of an entry that is still there. Of a record that does not say what had its
    /// version, nothing is known. Where nothing is left of an entry, its version is not worth reading.
    package init(_ record: TargetRecord, of list: ListDeclaration, isReplaced: Bool) {
      var version: ByteString?
      if !isReplaced, let origin = list.versionOrigin,
        let revision = Definition.revision(in: record.definition),
        revision.versionOrigin.hasSameBytes(as: origin)
      {
        version = revision.version.map { ByteString($0) }
      }
      self.init(
        EntryIdentity(
          key: ByteString(Definition.entry(in: record.definition)?.key ?? ""), version: version),
        isReplaced: isReplaced)
    }

    fileprivate func masked(by secrets: SecretMask) -> Recorded {
      var masked = self
      masked.identity = identity.masked(by: secrets)
      return masked
    }
  }

  /// The places of the recorded entries that have left the list, in their order.
  package let gone: [Int]
  /// How many entries are recorded, without those of which nothing is left.
  package let recordedCount: Int
  /// How many of them have left the list. Of each key, as many as it has selected entries do not count: those are versions
  /// that replace earlier ones.
  package let lostCount: Int
  /// Whether so many are lost that the list is probably wrong (`list-suspect`): nothing may be removed.
  package let isSuspect: Bool

  /// - Parameters:
  ///   - entries: all of the whole list, of which some are `selected`.
  ///   - allowsRemovals: the option of that name, with which no list is suspect.
  ///   - secrets: a record has none of them, so those of an entry are hidden before the two are compared.
  package init(
    recorded: [Recorded], entries: [ListEntry], selected: [ListEntry], allowsRemovals: Bool = false,
    secrets: SecretMask = SecretMask()
  ) {
    let recorded = secrets.isEmpty ? recorded : recorded.map { $0.masked(by: secrets) }
    func identity(_ entry: ListEntry) -> EntryIdentity {
      secrets.isEmpty ? entry.identity : entry.identity.masked(by: secrets)
    }
    var numbers: [ByteString: Int] = [:]
    let key = recorded.map { one in
      let number = numbers[one.identity.key] ?? numbers.count
      numbers[one.identity.key] = number
      return number
    }
    var isListed = [Bool](repeating: false, count: numbers.count)
    // Whether the list says too little to tell the versions of a key apart.
    var isVague = [Bool](repeating: false, count: numbers.count)
    // The selected entries of the key, each of which may have taken the place of one that is gone. Whether it is recorded
    // says nothing: a run may have brought it, and failed before it removed the other one.
    var versions = [Int](repeating: 0, count: numbers.count)
    var missing = Set(recorded.lazy.filter { !$0.isReplaced && $0.identity.version != nil }.map(\.identity))
    for entry in entries {
      let identity = identity(entry)
      guard let number = numbers[identity.key] else { continue }
      isListed[number] = true
      if identity.version == nil { isVague[number] = true }
      if !missing.isEmpty { missing.remove(identity) }
    }
    for entry in missing.isEmpty ? [] : selected {
      if let number = numbers[identity(entry).key] { versions[number] += 1 }
    }
    gone = recorded.indices.filter { place in
      // A key that the manifest no longer selects is as it was, whatever its versions are.
      let isMissing =
        !isVague[key[place]] && versions[key[place]] > 0 && missing.contains(recorded[place].identity)
      return !recorded[place].isReplaced && (!isListed[key[place]] || isMissing)
    }
    recordedCount = recorded.indices.count { place in
      isListed[key[place]] || !recorded[place].isReplaced && recorded[place].hasOutput
    }
    // A version that is recorded at two outputs counts once, and so does an entry of which no version is known: its output
    // may have had another name. Each other version of the key makes up for one.
    var seen: Set<EntryIdentity> = []
    lostCount = gone.count { place in
      guard recorded[place].hasOutput, seen.insert(recorded[place].identity).inserted else { return false }
      versions[key[place]] -= 1
      return versions[key[place]] < 0
    }
    isSuspect = !allowsRemovals && Self.isSuspect(lost: lostCount, recorded: recordedCount)
  }

  /// More than one, and more than 10 %.
  private static func isSuspect(lost: Int, recorded: Int) -> Bool { lost > 1 && 10 * lost > recorded }
}

extension EntryIdentity {
  fileprivate func masked(by secrets: SecretMask) -> EntryIdentity {
    func mask(_ text: ByteString) -> ByteString { ByteString(secrets.mask(text.text)) }
    return EntryIdentity(key: mask(key), version: version.map(mask))
  }
}
