import SyncModel

/// The names in an archive so far, to find entries that cannot be beside each other.
///
/// A name is kept as a number of 64 bits with a seed of this process, so that a million entries need some 32 MB. Two
/// names with one number would make a good archive fail once in tens of millions of archives of that size.
struct EntryTable {
  /// What has a name.
  enum Kind: UInt8 { case file, folder, link }

  private var kinds: [UInt64: Kind] = [:]
  /// The folder of the last entry, whose own folders are known.
  private var lastFolder: ArraySlice<ArraySlice<UInt8>> = []

  subscript(parts: some Collection<ArraySlice<UInt8>>) -> Kind? {
    get { kinds[Self.key(parts)] }
    set { kinds[Self.key(parts)] = newValue }
  }

  /// Notes the folders above `parts`. Throws if one of them is something else.
  mutating func noteFolders(of parts: [ArraySlice<UInt8>]) throws(ArchiveFault.Reason) {
    let folder = parts.dropLast()
    if folder == lastFolder { return }
    for end in folder.indices {
      let above = parts[...end]
      switch self[above] {
      case nil: self[above] = .folder
      case .folder: break
      case .link: throw .underLink(link: String(decoding: EntryName.joined(above), as: UTF8.self))
      case .file: throw .underFile(file: String(decoding: EntryName.joined(above), as: UTF8.self))
      }
    }
    lastFolder = folder
  }

  private static func key(_ parts: some Collection<ArraySlice<UInt8>>) -> UInt64 {
    var hasher = Hasher()
    for part in parts {
      unsafe part.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      // No part contains it.
      hasher.combine(UInt8(ascii: "/"))
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
