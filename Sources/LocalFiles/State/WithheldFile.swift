import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The files of new outputs that an update withholds: `withheld/KEY` in the state folder.
///
/// A key is a file name that the caller makes of the output's path. Call only while holding the ``RunLock``.
extension StateFolder {
  /// The file's signature; `nil` if it does not exist or is not a file that an update has withheld.
  ///
  /// Throws if the system does not say: a file that is there must not count as published.
  package func withheldSignature(_ key: String) throws(FailureCause) -> FileSignature? {
    try FailureSubject.state(path(of: "withheld")).attempt { () throws(SystemError) in
      do throws(SystemError) {
        let status = try withheld().status(of: key)
        return status.kind == .file && status.links == 1 ? status.signature : nil
      } catch {
        guard error.code == ENOENT else { throw error }
        return nil
      }
    }
  }

  /// The inode number of the withheld folder of this name; `nil` if there is none.
  package func withheldFolder(_ name: String) throws(FailureCause) -> UInt64? {
    try FailureSubject.state(path(of: "withheld")).attempt { () throws(SystemError) in
      let status = try ifThere { () throws(SystemError) in try withheld().status(of: name) }
      return status?.kind == .folder ? status?.signature.inode : nil
    }
  }

  /// Opens the file to read it; the text of a failure names `output`.
  package func readWithheld(_ key: String, of output: RelativePath) throws(FailureCause) -> ReadableFile {
    let subject = FailureSubject.source(output.text)
    let file = try subject.attempt { () throws(SystemError) in try withheld().open(key, O_RDONLY) }
    let signature = try subject.attempt { () throws(SystemError) in try FileStatus(file).signature }
    return ReadableFile(file, signature, subject)
  }

  /// The file, for publication as `output`. A replaced file gets its name, if the system supports that.
  ///
  /// `mode` and `modified` are the file's attributes.
  package func stageWithheld(
    _ key: String, as output: RelativePath, root: RootFolder
  ) throws(FailureCause) -> (staged: StagedFile, mode: UInt16, modified: Timestamp) {
    try FailureSubject.state(path(of: "withheld")).attempt { () throws(SystemError) in
      let folder = try withheld()
      let file = try folder.open(key, O_RDONLY)
      let status = try FileStatus(file)
      let new = StagingPlace.NewFile(place: StagingPlace(folder: folder, name: key), file: file)
      let staged = StagedFile(withheld: new, output, root, self, size: status.signature.size)
      return (staged, UInt16(status.mode) & 0o777, status.signature.modified)
    }
  }

  /// Undoes the publication of `output`: the replaced file, which has its key, is restored; if there was none, the
  /// output is withheld again. Fails if neither is possible.
  package func takeBack(_ key: String, from output: RelativePath, replacedFile: Bool, root: RootFolder)
    throws(FailureCause)
  {
    let (folder, name) = try root.parent(of: output, as: .output(output.text))
    try FailureSubject.output(output.text).attempt { () throws(SystemError) in
      let published = StagingPlace(folder: folder, name: name)
      if replacedFile {
        // The replaced file is lost, unless it has the key.
        _ = try withheld().status(of: key)
        try published.exchange(with: key, in: try withheld())
      } else {
        try published.move(to: key, in: try withheld(), replacing: true)
      }
    }
  }

  /// Throws if no new file could be put into the output's place.
  package func requirePlace(for output: RelativePath, root: RootFolder) throws(FailureCause) {
    _ = try StagingPlace.isOnDevice(of: self, output, root)
  }

  /// Throws if another device than the state folder's, to which they are copied one after the other, has no room for files of
  /// these sizes, in bytes. Each copy is made before the file that it replaces is removed.
  package func requireRoom(
    for files: [(output: RelativePath, size: Int64, replaced: Int64)], root: RootFolder
  ) throws(FailureCause) {
    var free: [UInt64: Int64] = [:]
    for file in files {
      let device = try root.deviceOfNewFile(at: file.output)
      guard device != self.device, let room = free[device] ?? root.freeBytes(at: file.output) else {
        continue
      }
      guard file.size <= room else { throw .diskFull(path: file.output.text) }
      free[device] = room - file.size + file.replaced
    }
  }

  /// Waits until the names of all withheld files are on the disk.
  package func syncWithheld() throws(FailureCause) {
    try FailureSubject.state(path(of: "withheld")).attempt { () throws(SystemError) in try withheld().sync() }
  }

  /// The same before their publication is decided, when none of them may be lost any more.
  ///
  /// A folder that was moved there may be in neither place until both are on the disk, and `withheld/` and `trees/` may
  /// be new.
  package func settleWithheld() throws(FailureCause) {
    try FailureSubject.state(path(of: "withheld")).attempt { () throws(SystemError) in
      try withheld().sync()
      try staging.sync()
      try top.sync()
    }
  }

  /// Removes one, which may be a tree's; it is not an error if it is missing.
  package func removeWithheld(_ key: String) { try? withheld().removeAll(FileName(key.utf8)) }

  /// The keys of all files there; those of trees end in `.tree`.
  package func withheldKeys() -> [String] {
    guard (try? top.status(of: "withheld"))?.kind == .folder else { return [] }
    return ((try? withheld().names()) ?? []).sorted()
  }

  /// The names of all files with listings of folders, in `trees/`.
  package func listingNames() -> [String] {
    guard let folder = try? OpenFolder("trees", in: top) else { return [] }
    return ((try? folder.names()) ?? []).sorted()
  }
}
