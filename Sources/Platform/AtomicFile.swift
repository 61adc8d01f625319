import SyncModel

#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

/// A new file that takes the place of an old one in one step; until then, and on failure, the old one is unchanged.
package struct AtomicFile: ~Copyable {
  /// To write to.
  package var file: Descriptor
  /// Its name until it is published.
  package let temporary: String
  private let folder: Int32
  /// What keeps ``folder`` open: another folder may have its number once it is closed.
  private let owner: AnyObject?
  private var isPublished = false

  /// Creates the file `temporary` in `folder`, which `owner` keeps open; `nil` if nothing has to.
  ///
  /// `removingOld` removes first what an earlier try left under that name; else EEXIST is thrown where something is
  /// there.
  package init(
    _ temporary: String, in folder: Int32 = AT_FDCWD, of owner: AnyObject? = nil, mode: mode_t = 0o666,
    removingOld: Bool = true
  ) throws(SystemError) {
    // Not emptied but removed: it may be another name of some file.
    if removingOld { unsafe unlinkat(folder, temporary, 0) }
    file = try Descriptor(temporary, in: folder, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    self.temporary = temporary
    self.folder = folder
    self.owner = owner
  }

  deinit { if !isPublished { unsafe unlinkat(folder, temporary, 0) } }

  /// Gives the file its name; nothing is synced.
  package consuming func publish(as name: String) throws(SystemError) {
    let (folder, temporary) = (folder, temporary)
    try publish { () throws(SystemError) in
      try call { unsafe renameat(folder, temporary, folder, name) }
    }
  }

  /// Gives the file its name by `move`; where that fails nothing of the file is left.
  package consuming func publish(by move: () throws(SystemError) -> Void) throws(SystemError) {
    try move()
    isPublished = true
  }

  /// Replaces the file at `path` by one of these bytes. Nothing is synced: for caches.
  ///
  /// - Returns: whether it was replaced.
  @discardableResult
  package static func replace(_ path: String, with bytes: [UInt8]) -> Bool { replace(path) { _ in bytes } }

  /// The same with what `bytes` gives once the new file has been made; `nil` means that the old file stays.
  @discardableResult
  package static func replace(_ path: String, _ bytes: (borrowing Descriptor) -> [UInt8]?) -> Bool {
    do throws(SystemError) {
      let new = try AtomicFile(unfinished(path))
      guard let bytes = bytes(new.file) else { return false }
      try new.file.write(bytes)
      try new.publish(as: path)
      return true
    } catch {
      return false
    }
  }

  /// Removes what a killed run left of a file that was to take the place of the one at `path`.
  package static func clear(_ path: String) { unsafe unlink(unfinished(path)) }

  private static func unfinished(_ path: String) -> String { path + ".new" }
}
