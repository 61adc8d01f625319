import SyncModel

extension ManifestReader {
  private enum EntryKey: String, CaseIterable {
    case key, name, version, updated, size, md5, sha1, sha256, sha512, etag, title, fields
    case versionBy = "version_by"
  }

  /// What is locked of a list's entry, by the keys `list` and `entry`; `nil` for a target without `list`.
  func readPinnedEntry(_ list: MappingEntry?, _ entry: MappingEntry?) -> PinnedEntry? {
    guard let list else {
      if let entry {
        error("\"entry\" without \"list\", the name of the target that it is an entry of", at: entry.key)
      }
      return nil
    }
    guard let entry else {
      error("\"list\" without \"entry\"", at: list.key)
      return nil
    }
    guard let entries = entries(of: entry.value, Want("entry", "a mapping with \"key\"")) else { return nil }
    let parts = self.fields(entries, EntryKey.self, of: "a locked entry")
    func text(_ key: EntryKey) -> String? {
      parts[key].flatMap { listedText($0.value, Want(key.rawValue, "text")) }
    }
    guard let template = listedText(list.value, Want("list", "a target's name")) else { return nil }
    guard let key = text(.key) else {
      if parts[.key] == nil { requireKey("key", in: parts, at: entry.key) }
      return nil
    }
    var read = ListEntry(key: key, name: text(.name) ?? key, url: "")
    (read.version, read.entityTag, read.title) = (text(.version), text(.etag), text(.title))
    if read.version != nil { read.lockedOrigin = text(.versionBy) }
    // An earlier lock does not say it.
    read.isVersionCaptured = read.version != nil && read.lockedOrigin == nil
    read.size = parts[.size].flatMap { lockedSize($0.value) }
    read.updated = parts[.updated].flatMap { lockedTime($0.value) }
    read.digests = DigestAlgorithm.allCases.compactMap { algorithm in
      EntryKey(rawValue: algorithm.rawValue).flatMap { parts[$0] }
        .flatMap { lockedDigest($0.value, algorithm) }.map { ListedDigest(algorithm, $0) }
    }
    read.others = parts[.fields].map { listedFields($0.value) } ?? []
    return PinnedEntry(template: template, entry: read)
  }

  private func listedFields(_ id: NodeID) -> [ListEntry.Field] {
    let want = Want("fields", "a mapping from names to texts")
    guard let fields = entries(of: id, want) else { return [] }
    return fields.compactMap { field in
      listedText(field.value, want).map {
        ListEntry.Field(name: document.text(of: field.key), value: $0)
      }
    }
  }

  /// What a list said, which may be any text.
  private func listedText(_ id: NodeID, _ want: Want) -> String? {
    guard document[id].kind == .scalar, !document.isNull(id) else {
      unwanted(id, want)
      return nil
    }
    return document.text(of: id)
  }

  private func lockedTime(_ id: NodeID) -> Timestamp? {
    let want = Want("updated", "a time such as 2026-01-31T12:00:00Z")
    guard let text = lockedLine(id, want) else { return nil }
    if let time = Timestamp(rfc3339: text) { return time }
    unwanted(text, at: id, want)
    return nil
  }
}
