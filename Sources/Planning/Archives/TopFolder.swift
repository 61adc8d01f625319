package import SyncModel

/// Finds the single folder that contains everything, for `strip: auto`.
package struct TopFolder: Sendable {
  private var name: ArraySlice<UInt8>?
  private var isSingle = true
  private var hasContent = false

  /// Before the first entry.
  package init() {}

  /// Takes the next entry, which need not be safe.
  package mutating func take(_ entry: ArchiveEntry) {
    let parts = EntryName(unchecked: entry.name).parts
    guard let first = parts.first else { return }
    if name == nil { name = first }
    if name != first || parts.count == 1 && entry.kind != .folder { isSingle = false }
    if parts.count > 1 { hasContent = true }
  }

  /// How many leading folders are removed, after the last entry.
  package var strip: Int { isSingle && hasContent ? 1 : 0 }
}
