import SyncModel

/// The paths of a folder on a file system that ignores case, to find two that would be one (contract, section 10).
///
/// Some systems take more names for one than ``FoldedPath`` does, such as "ss" and "ß"; these are found when they are made.
struct SpellingTable: Sendable {
  /// The paths as they are spelled, by what is left of them without case.
  private var spellings: [String: [UInt8]] = [:]
  /// The folder of the last path, which is noted.
  private var lastFolder: ArraySlice<ArraySlice<UInt8>> = []

  /// Takes a path and the folders above it. Throws if one of them was taken in another spelling.
  mutating func take(_ path: [ArraySlice<UInt8>]) throws(ArchiveFault.Reason) {
    let folder = path.dropLast()
    if folder != lastFolder {
      for end in folder.indices { try note(path[...end]) }
      lastFolder = folder
    }
    try note(path[...])
  }

  private mutating func note(_ path: ArraySlice<ArraySlice<UInt8>>) throws(ArchiveFault.Reason) {
    let spelling = EntryName.joined(path)
    let key = FoldedPath.key(of: spelling)
    guard let earlier = spellings[key] else {
      spellings[key] = spelling
      return
    }
    if earlier != spelling { throw .sameWithoutCase(other: String(decoding: earlier, as: UTF8.self)) }
  }
}
