import Platform
package import SyncModel

/// A withheld tree, from its making to its publication.
extension StagedTree {
  /// The files and links that were unpacked, with their signatures; `listing` is what ``prepare()`` returned.
  package func unpackedFiles(of listing: TreeListing) throws(FailureCause) -> TreeListing {
    var files = TreeEntries()
    for place in entries.indices where made.isStaged(place) {
      var file = entries[place]
      file.signature = try attempt(file.path) { () throws(SystemError) in
        try staged.status(of: file.path).signature
      }
      files.append(file)
    }
    return TreeListing(files, signature: listing.signature, folder: listing.folder)
  }

  /// Whether the tree that is withheld as `key` for `output` has these files.
  ///
  /// A file whose signature is another one counts if it has the recorded bytes: a publication that failed may have changed
  /// its times. `digest` gives the sha256 of an open file.
  package static func hasFiles(
    _ files: TreeListing, withheld key: String, of output: RelativePath, in state: StateFolder,
    digest: (ReadableFile) throws(FailureCause) -> HexDigest
  ) -> Bool {
    guard let withheld = try? state.withheld(), let folder = try? OpenFolder(withheldName(key), in: withheld)
    else { return false }
    if folder.holds(files) { return true }
    guard let settled = try? folder.settled(files, as: output, digest: digest) else { return false }
    return folder.holds(settled)
  }

  /// Whether the folder in place still has what a withheld tree shares with it: the entries of `held` with a signature,
  /// which may be another one by what is recorded now, `old`. With `keepingEdits` an edited file stays in place anyway.
  package static func isShared(
    _ held: TreeListing, with output: RelativePath, recorded old: TreeListing?, keepingEdits: Bool,
    in root: RootFolder
  ) -> Bool {
    var shared = TreeEntries()
    for var entry in held.entries where entry.signature != nil {
      if let recorded = old?[entry.path], recorded.isSame(as: entry) {
        entry.signature = recorded.signature ?? entry.signature
      }
      shared.append(entry)
    }
    guard !shared.isEmpty else { return true }
    guard let folder = try? root.open(tree: output).0 else { return false }
    return folder.holds(
      TreeListing(shared, signature: held.signature, folder: held.folder), keepingEdits: keepingEdits)
  }

  /// Removes from a withheld tree what an attempt to publish it had linked from the live folder before it was interrupted.
  ///
  /// Call it before the live folder is looked at, since it changes the ctime of files there.
  package static func dropLinks(
    withheld key: String, _ listing: TreeListing, in state: StateFolder
  ) throws(FailureCause) {
    let files = listing.entries.filter { $0.kind != .folder && $0.signature == nil }.map(\.path)
    let empty = listing.entries.filter { $0.kind == .folder }.map(\.path)
    let folders = [[UInt8]].folders(above: files + empty).union(empty)
    try FailureSubject.state(state.path(of: "withheld")).attempt { () throws(SystemError) in
      let top = try OpenFolder(withheldName(key), in: try state.withheld())
      try dropAll(in: top, [], except: Set(files), folders)
    }
  }

  private static func dropAll(
    in folder: OpenFolder, _ path: [UInt8], except files: Set<[UInt8]>, _ folders: Set<[UInt8]>
  ) throws(SystemError) {
    for name in try folder.entries() {
      let entry = path.appending(name)
      if folders.contains(entry) {
        try dropAll(in: try OpenFolder(name, in: folder), entry, except: files, folders)
      } else if !files.contains(entry) {
        folder.removeAll(name)
      }
    }
  }
}
