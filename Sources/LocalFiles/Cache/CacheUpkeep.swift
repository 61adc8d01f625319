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
  /// Returns what was removed, and how many files stay because they could not be. Another run that wanted a removed file
  /// fetches it.
  @discardableResult
  package func prune(
    maxSize: Int64?, unusedSince moment: Timestamp?, isOrphan: ([UInt8], CacheFolder) -> Bool
  ) -> (removed: CacheContents, kept: Int) {
    let entries = entries(.files)
    var (removed, kept) = remove(entries, maxSize: maxSize, largest: maxSize, unusedSince: moment)
    removed.values = removeOrphans(isOrphan)
    return (removed, kept)
  }

  /// What a run does on its own. If there are more than `maxSize` bytes, it removes files until a tenth less than that is
  /// left, so that the next runs need not do it again. Then it removes the values for which `isOrphan` is true. It also
  /// removes what killed runs were writing before `moment`.
  ///
  /// One run at a time does it. `spent` is the share of its time that is over. It lists files for at most half of the
  /// time, and removes some of those that it has listed only if they alone are too many. The rest of the time is for the
  /// values.
  @discardableResult
  package func trim(
    maxSize: Int64, unfinishedBefore moment: Timestamp,
    isOrphan: ([UInt8], CacheFolder) -> Bool = { _, _ in false }, spent: () -> Double
  ) -> CacheContents {
    guard case .held(let lock) = CacheLock.ofUpkeep(in: self) else { return CacheContents() }
    return withExtendedLifetime(lock) {
      clearUnfinished(before: moment) { spent() >= 0.25 }
      let entries = entries(.files) { spent() >= 0.5 }
      guard entries.reduce(0, { $0 + $1.size }) > maxSize else { return CacheContents() }
      var (removed, _) = remove(
        entries, maxSize: maxSize - maxSize / 10, largest: maxSize, unusedSince: nil
      ) { spent() >= 1 }
      removed.values = removeOrphans(isOrphan, spent: spent)
      return removed
    }
  }

  private func remove(
    _ entries: [Entry], maxSize: Int64?, largest: Int64?, unusedSince moment: Timestamp?,
    isOver: () -> Bool = { false }
  ) -> (removed: CacheContents, kept: Int) {
    var left = entries.reduce(0) { $0 + $1.size }
    var removed = CacheContents()
    var kept = 0
    // What is larger than all that may stay goes first: it would take the place of all others, and then go itself.
    func rank(_ entry: Entry) -> (Int, Timestamp, String) {
      (largest.map { entry.size > $0 } == true ? 0 : 1, entry.used, entry.name.text)
    }
    for entry in entries.sorted(by: { rank($0) < rank($1) }) {
      let isTooMuch = maxSize.map { left > $0 } ?? false
      guard isTooMuch || moment.map({ entry.used < $0 }) ?? false else { continue }
      if isOver() { break }
      guard remove(entry.name) else {
        // Another program may have removed it.
        if !isGone(entry.name) { kept += 1 }
        continue
      }
      left -= entry.size
      removed.files += 1
      removed.bytes += entry.size
    }
    return (removed, kept)
  }

  private func removeOrphans(
    _ isOrphan: ([UInt8], CacheFolder) -> Bool, spent: () -> Double = { 0 }
  ) -> Int {
    var removed = 0
    // To list them takes half of the time that is left at most.
    let half = (spent() + 1) / 2
    for entry in entries(.values, isOver: { spent() >= half }) {
      if spent() >= 1 { break }
      guard let value = value(entry.name, limit: 256 << 10), isOrphan(value, self) else { continue }
      if removeValue(entry.name) { removed += 1 }
    }
    return removed
  }

  /// Removes what killed runs were writing, and their locks, if they were last changed before `moment`. Other names are
  /// somebody else's: any folder may be named as a cache.
  package func clearUnfinished(before moment: Timestamp, isOver: () -> Bool = { false }) {
    eachOldFile(.unfinished, moment, isOver) { folder, name in
      if NameSeries.mayGive(name) { try? folder.remove(name) }
    }
    eachOldFile(.locks, moment, isOver) { _, name in
      // The file of a lock goes when the lock is given up; one that another run has is not given.
      if let lock = HexDigest(name, .sha256), lock.text == name { _ = CacheLock.attempt(lock, in: self) }
    }
  }

  /// Calls `body` with each file of `part` that was last changed before `moment`.
  private func eachOldFile(
    _ part: Part, _ moment: Timestamp, _ isOver: () -> Bool, _ body: (OpenFolder, String) -> Void
  ) {
    guard let folder = try? folder(part) else { return }
    for name in (try? folder.names()) ?? [] {
      if isOver() { return }
      guard let status = try? folder.status(of: name), status.kind == .file,
        status.signature.modified < moment
      else { continue }
      body(folder, name)
    }
  }

  /// Calls `body` with each file, in the order of names, until it returns `false`.
  package func eachFile(_ body: (HexDigest, Int64) -> Bool) {
    for entry in entries(.files).sorted(by: { $0.name.text < $1.name.text }) {
      guard body(entry.name, entry.size) else { return }
    }
  }

  /// Entries with proper names in their places, as far as they are found until `isOver`; whatever else is there is
  /// somebody else's.
  private func entries(_ part: Part, isOver: () -> Bool = { false }) -> [Entry] {
    guard let folder = try? folder(part), let names = try? folder.names() else { return [] }
    var entries: [Entry] = []
    // Another order each time: what a short search has not reached another one reaches.
    for prefix in names.shuffled() where prefix.utf8.count == 2 {
      guard let inner = try? OpenFolder(prefix, in: folder), let names = try? inner.names() else { continue }
      for text in names where text.hasPrefix(prefix) {
        if isOver() { return entries }
        guard let name = HexDigest(text, .sha256), name.text == text,
          let status = try? inner.status(of: text), status.kind == .file
        else { continue }
        entries.append(
          Entry(name: name, size: status.signature.size, used: status.signature.modified))
      }
    }
    return entries
  }

  private func removeValue(_ name: HexDigest) -> Bool {
    guard let folder = try? folder(.values),
      let inner = try? OpenFolder(String(name.text.prefix(2)), in: folder)
    else { return false }
    return (try? inner.remove(name.text)) != nil
  }
}
