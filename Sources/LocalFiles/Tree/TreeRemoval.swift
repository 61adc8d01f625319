import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RootFolder {
  /// Removes a folder output's recorded files and links, then the folders that are empty then, itself included.
  ///
  /// `keepingEdited` leaves those that are not as recorded. Returns the paths of the files and links that are left, in
  /// order. Throws if the system refuses, or if something else than a folder is there.
  package func removeTree(
    _ path: RelativePath, _ listing: TreeListing, keepingEdited: Bool
  ) throws(FailureCause) -> [[UInt8]] {
    let place = Place(path)
    let (parent, top): (OpenFolder, OpenFolder)
    do throws(WalkError) { (parent, top) = (try walk(to: place), try open(tree: path).0) } catch {
      guard case .missing = error else { throw error.cause(path) }
      return []
    }
    var live = TreeWalker(top)
    for entry in listing.entries where entry.kind != .folder {
      try FailureSubject.output(path.text(of: entry.path)).attempt { () throws(SystemError) in
        guard let (folder, name) = try? live.place(of: entry.path), let status = try? folder.status(of: name),
          status.kind != .folder, !keepingEdited || status.isRecorded(entry)
        else { return }
        try folder.remove(name)
      }
    }
    live.forget()
    for path in TreeListing.folders(of: listing.entries).sorted(by: { $1.lexicographicallyPrecedes($0) }) {
      guard let (folder, name) = try? live.place(of: path) else { continue }
      try? folder.removeFolder(name)
    }
    var left: [[UInt8]] = []
    try FailureSubject.output(path.text).attempt { () throws(SystemError) in
      try Self.list(top, [], into: &left)
    }
    if left.isEmpty { try? parent.removeFolder(FileName(place.name.utf8)) }
    return left.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The paths of all files and links.
  private static func list(
    _ folder: OpenFolder, _ path: [UInt8], into found: inout [[UInt8]]
  ) throws(SystemError) {
    for name in try folder.entries() {
      let entry = path.appending(name)
      if try folder.status(of: name).kind == .folder {
        try list(try OpenFolder(name, in: folder), entry, into: &found)
      } else {
        found.append(entry)
      }
    }
  }
}

extension TreeListing {
  /// The paths of the empty folders among entries, and of those above them all.
  static func folders(of entries: TreeEntries) -> Set<[UInt8]> {
    let empty = entries.indices.lazy.filter { entries.isFolder(at: $0) }.map { entries.path(at: $0) }
    return [[UInt8]].folders(above: entries.paths).union(empty)
  }
}

extension [[UInt8]] {
  /// The paths of all folders above `paths`.
  static func folders(above paths: some Sequence<[UInt8]>) -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    for path in paths {
      for folder in path.foldersAbove where !found.insert([UInt8](folder)).inserted { break }
    }
    return found
  }
}
