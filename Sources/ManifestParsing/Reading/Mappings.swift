import SyncModel

/// A key of a mapping with its value.
struct MappingEntry {
  var key: NodeID
  var value: NodeID
}

/// A mapping's entries in order, merges done, each key once.
struct Mapping: RandomAccessCollection {
  fileprivate var entries: [MappingEntry] = []
  /// Entries whose key an earlier entry has. They count for nothing, but their problems may be reported.
  fileprivate(set) var duplicates: [MappingEntry] = []
  /// Whether a part of it could not be read, so that keys may be missing.
  fileprivate(set) var isIncomplete = false

  var startIndex: Int { entries.startIndex }
  var endIndex: Int { entries.endIndex }
  subscript(index: Int) -> MappingEntry { entries[index] }
}

/// An entry of a mapping whose key is known beforehand.
///
/// It demands nothing of `Key`: each demand on a type in an array costs a search through all conformances of the program.
struct FieldEntry<Key> {
  var key: Key
  var entry: MappingEntry
}

/// The entries of a mapping whose keys are known beforehand.
struct Fields<Key: RawRepresentable<String> & CaseIterable & Hashable> {
  /// A handful, which is searched faster than hashed; each key once, in the order of the file.
  private(set) var entries: ArraySlice<FieldEntry<Key>>
  /// Known keys that an unknown one was probably meant to be.
  private(set) var misspelt: Set<String> = []
  private(set) var isIncomplete = false

  init(entries: ArraySlice<FieldEntry<Key>> = [], misspelt: Set<String> = [], isIncomplete: Bool) {
    self.entries = entries
    self.misspelt = misspelt
    self.isIncomplete = isIncomplete
  }

  fileprivate mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

  fileprivate mutating func add(_ key: Key, _ entry: MappingEntry) {
    entries.append(FieldEntry(key: key, entry: entry))
  }

  fileprivate mutating func note(misspelt key: String) { misspelt.insert(key) }

  /// Whether `key` may be there in a form that was reported already.
  func mayHide(_ key: String) -> Bool { isIncomplete || misspelt.contains(key) }

  /// The keys in the order of the file.
  var order: [Key] { entries.map(\.key) }

  subscript(key: Key) -> MappingEntry? { entries.first { $0.key == key }?.entry }
}

extension ManifestReader {
  /// The entries of a mapping after merges; the first of two equal keys is used. `nil` if it is not a mapping.
  func entries(of id: NodeID, _ want: @autoclosure () -> Want) -> Mapping? {
    guard document[id].kind == .mapping else {
      unwanted(id, want())
      return nil
    }
    return entries(of: id)
  }

  /// The same of what is one.
  func entries(of id: NodeID) -> Mapping {
    var own = Mapping()
    var merges: [MappingEntry] = []
    let children = document.children(of: id)
    own.entries.reserveCapacity(children.count / 2)
    for index in stride(from: children.startIndex, to: children.endIndex, by: 2) {
      let entry = MappingEntry(key: children[index], value: children[index + 1])
      if document.isMerge(entry.key) {
        merges.append(entry)
      } else if isKey(entry.key) {
        own.entries.append(entry)
      } else {
        own.isIncomplete = true
      }
    }
    removeDuplicates(from: &own)
    if merges.count > 1 {
      error("duplicate key \"<<\"", at: merges[1].key, hint: "write one \"<<\" with a list")
    }
    return merges.isEmpty ? own : merged(own, merges[0].value)
  }

  private func isKey(_ key: NodeID) -> Bool {
    switch document[key].kind {
    case .scalar where !document.isNull(key): return true
    case .broken: return false
    default:
      error("a key must be text", at: key, hint: document[key].kind == .scalar ? "put it in quotes" : nil)
      return false
    }
  }

  private func removeDuplicates(from mapping: inout Mapping) {
    let entries = mapping.entries
    // A handful of keys is compared faster than hashed.
    if entries.count <= 8, areUnique(entries) { return }
    var index = TextIndex(capacity: entries.count)
    // The places of duplicates, which nearly no mapping has.
    var duplicates: [Int] = []
    for (place, entry) in entries.enumerated() {
      let earlier = unsafe document.withText(of: entry.key) { text in
        unsafe index.add(text, as: place) { document.haveSameText(entries[$0].key, entry.key) }
      }
      guard let earlier else { continue }
      error(
        "duplicate key \(quoted(document.text(of: entry.key)))", at: entry.key,
        hint: "first used on line \(span(entries[earlier].key).line)")
      mapping.duplicates.append(entry)
      duplicates.append(place)
    }
    guard !duplicates.isEmpty else { return }
    var rest = duplicates[...]
    mapping.entries = entries.indices.compactMap { place in
      guard rest.first == place else { return entries[place] }
      rest.removeFirst()
      return nil
    }
  }

  private func areUnique(_ entries: [MappingEntry]) -> Bool {
    for index in entries.indices.dropFirst() {
      for earlier in entries[..<index] where document.haveSameText(earlier.key, entries[index].key) {
        return false
      }
    }
    return true
  }

  /// `own`, then the other keys of `source` (a mapping, or a list of them, earlier ones first).
  private func merged(_ own: Mapping, _ source: NodeID) -> Mapping {
    var result = own
    var known = Set(own.map { ByteString(document.text(of: $0.key)) })
    let sources = document[source].kind == .sequence ? Array(document.children(of: source)) : [source]
    for source in sources {
      guard document[source].kind == .mapping else {
        unwanted(source, Want("<<", "a mapping or a list of mappings"))
        result.isIncomplete = true
        continue
      }
      let inner = entries(of: source)
      result.isIncomplete = result.isIncomplete || inner.isIncomplete
      for entry in inner where known.insert(ByteString(document.text(of: entry.key))).inserted {
        result.entries.append(entry)
      }
    }
    return result
  }

  /// Sorts entries by the keys of `Key`; an unknown key is an error that names `owner`.
  ///
  /// If `fits` is true for the key that was probably meant and the kind of the value, the value is read as that key's,
  /// so that its problems are reported too. `foreign` finds the key that other programs call so; `place` says where else
  /// the manifest has this key.
  func fields<Key>(
    _ entries: Mapping, _ keys: Key.Type, of owner: @autoclosure () -> String,
    fits: (Key, YAMLNode.Kind) -> Bool = { _, _ in false },
    isKnown: (Key) -> Bool = { _ in true },
    foreign: (String) -> Key? = { _ in nil },
    place: (String) -> String? = { _ in nil }
  ) -> Fields<Key> {
    var misspelt: [(key: Key, entry: MappingEntry)] = []
    var fields = Fields<Key>(isIncomplete: entries.isIncomplete)
    fields.reserveCapacity(entries.count)
    for entry in entries {
      let text = document.text(of: entry.key)
      if let key = Key(rawValue: text) {
        fields.add(key, entry)
      } else {
        let known = Key.allCases.filter(isKnown).map(\.rawValue)
        let place = place(text)
        let meant = place == nil ? nearest.find(text, among: known) ?? foreign(text)?.rawValue : nil
        if let meant, let key = Key(rawValue: meant) {
          fields.note(misspelt: meant)
          if fits(key, document[entry.value].kind) { misspelt.append((key, entry)) }
        }
        let hint = place ?? meant.map { "did you mean \"\($0)\"?" } ?? "known: \(Quoting.list(known, "and"))"
        error("unknown key \(quoted(text)) in \(owner())", at: entry.key, hint: hint)
      }
    }
    for (key, entry) in misspelt where fields[key] == nil { fields.add(key, entry) }
    return fields
  }
}
