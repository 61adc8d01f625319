import Platform
package import SyncModel

extension CacheFolder {
  private struct Entry {
    var name: HexDigest
    var size: Int64
    var used: Timestamp
  }

  /// What is there.
  package func contents() -> CacheContents {
    var contents = CacheContents()
    for entry in entries(.files) {
      contents.files += 1
      contents.bytes += entry.size
    }
    contents.values = entries(.values).count
    return contents
  }

  /// Removes files that were used last before `moment`, and those used least recently until no more than `maxSize`
  /// bytes are left, with all values that `isOrphan` of what is left.
  ///
  /// Returns what was removed. Another run that wanted a removed file fetches it.
  @discardableResult
  package func prune(
    maxSize: Int64?, unusedSince moment: Timestamp?, isOrphan: ([UInt8], CacheFolder) -> Bool
  ) -> CacheContents {
    let entries = entries(.files).sorted { ($0.used, $0.name.text) < ($1.used, $1.name.text) }
    var left = entries.reduce(0) { $0 + $1.size }
    var removed = CacheContents()
    for entry in entries {
      let isTooMuch = maxSize.map { left > $0 } ?? false
      guard isTooMuch || moment.map({ entry.used < $0 }) ?? false else { continue }
      remove(entry.name)
      left -= entry.size
      removed.files += 1
      removed.bytes += entry.size
    }
    if removed.files > 0 || moment != nil { removed.values = removeOrphans(isOrphan) }
    return removed
  }

  private func removeOrphans(_ isOrphan: ([UInt8], CacheFolder) -> Bool) -> Int {
    var removed = 0
    for entry in entries(.values) {
      guard let value = value(entry.name, limit: 256 << 10), isOrphan(value, self) else { continue }
      removeValue(entry.name)
      removed += 1
    }
    return removed
  }

  /// Removes what killed runs were writing, if it was last changed before `moment`.
  package func clearUnfinished(before moment: Timestamp) {
    guard let folder = try? folder(.unfinished) else { return }
    for name in (try? folder.names()) ?? [] {
      guard let status = try? folder.status(of: name), status.kind == .file,
        status.signature.modified < moment
      else { continue }
      try? folder.remove(name)
    }
  }

  /// Calls `body` with each file, in the order of names, until it returns `false`.
  package func eachFile(_ body: (HexDigest, Int64) -> Bool) {
    for entry in entries(.files).sorted(by: { $0.name.text < $1.name.text }) {
      guard body(entry.name, entry.size) else { return }
    }
  }

  /// Entries with proper names in their places; whatever else is there is somebody else's.
  private func entries(_ part: Part) -> [Entry] {
    guard let folder = try? folder(part), let names = try? folder.names() else { return [] }
    var entries: [Entry] = []
    for prefix in names where prefix.utf8.count == 2 {
      guard let inner = try? OpenFolder(prefix, in: folder), let names = try? inner.names() else { continue }
      for text in names where text.hasPrefix(prefix) {
        guard let name = HexDigest(text, .sha256), name.text == text,
          let status = try? inner.status(of: text), status.kind == .file
        else { continue }
        entries.append(
          Entry(name: name, size: status.signature.size, used: status.signature.modified))
      }
    }
    return entries
  }

  private func removeValue(_ name: HexDigest) {
    guard let folder = try? folder(.values),
      let inner = try? OpenFolder(String(name.text.prefix(2)), in: folder)
    else { return }
    try? inner.remove(name.text)
  }
}
