/// An entry of a list as the lock has it (contract, section 11): with it, a run makes the target without its list.
package struct PinnedEntry: Sendable, Equatable {
  /// The ``ListDeclaration/template`` that its target was made from.
  package var template: String
  /// As it was selected. The URLs are those of the pin, and ``ListEntry/others`` has only what the manifest uses.
  package var entry: ListEntry

  /// Nothing is checked.
  package init(template: String, entry: ListEntry) {
    self.template = template
    self.entry = entry
  }
}

extension PinnedEntry {
  /// The same without secrets.
  package func masked(by secrets: SecretMask) -> PinnedEntry {
    guard !secrets.isEmpty else { return self }
    var masked = self
    masked.entry.key = secrets.mask(entry.key)
    masked.entry.name = secrets.mask(entry.name)
    masked.entry.version = entry.version.map(secrets.mask)
    masked.entry.lockedOrigin = entry.lockedOrigin.map(secrets.mask)
    masked.entry.title = entry.title.map(secrets.mask)
    masked.entry.entityTag = entry.entityTag.map(secrets.mask)
    for index in masked.entry.others.indices {
      masked.entry.others[index].value = secrets.mask(entry.others[index].value)
    }
    return masked
  }
}

extension LockFile {
  /// The entries that the lock has of each list, in the order of their targets' names.
  package var listed: ListedEntries {
    var listed = ListedEntries()
    for template in emptyLists { listed.byTemplate[template] = [] }
    for (_, pin) in pins.lazy.filter({ $0.value.entry != nil }).sorted(by: { $0.key < $1.key }) {
      guard let pinned = pin.entry, case .urls(let urls) = pin.source, let first = urls.first else {
        continue
      }
      var entry = pinned.entry
      entry.url = first.text
      entry.mirrors = urls.dropFirst().map(\.text)
      listed.byTemplate[pinned.template, default: []].append(entry)
    }
    return listed
  }
}

extension Manifest {
  /// The entry that a target was made from, for the lock; `nil` for a target without `list`.
  package func pinnedEntry(of target: Target) -> PinnedEntry? {
    guard case .entry(let source) = target.source,
      let template = templates.first(where: { $0.list.template.hasSameBytes(as: source.template) }),
      case .expanded(let first, let entries) = template.state,
      entries.indices.contains(target.id.index - first.index)
    else { return nil }
    var entry = entries[target.id.index - first.index]
    // What a lock does not have of it, or has in its pin.
    (entry.url, entry.mirrors, entry.isPrerelease) = ("", [], false)
    entry.lockedOrigin = source.revision.versionOrigin
    if !template.uses.contains("title") { entry.title = nil }
    // Of several with one name the first counts, and YAML has each key once.
    var names: Set<ByteString> = []
    entry.others.removeAll {
      !template.uses.contains($0.name) || !names.insert(ByteString($0.name)).inserted
    }
    // In the order in which a lock is read, so that each has the same bytes.
    entry.others.sort { $0.name < $1.name }
    let digests = entry.digests
    entry.digests = DigestAlgorithm.allCases.compactMap { algorithm in
      digests.first { $0.algorithm == algorithm }
    }
    return PinnedEntry(template: source.template, entry: entry)
  }
}
