import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The listings of folder outputs, in `trees/` of the state folder.
///
/// A key is 32 hexadecimal digits that the caller makes of the output's path. `KEY` is the listing of the folder as it
/// was last published, `KEY.next` that of a publication which may have been interrupted. Damaged files count as
/// missing. What reads needs no run lock; all else does.
package struct TreeShelf: Sendable {
  private static let nextEnding = ".next"
  /// More than a million entries of usual length take; a longer file is foreign.
  private static let longest = 1 << 30

  private let folder: String
  /// Those of other runs' states, which are only read.
  private let others: [String]

  /// `stateFolder` is its path; `others` are those of further states whose listings count, too.
  package init(stateFolder: String, others: [String] = []) {
    folder = Self.folder(in: stateFolder)
    self.others = others.map(Self.folder(in:))
  }

  private static func folder(in stateFolder: String) -> String { stateFolder + "/trees" }

  /// The listings that may describe the folder, the next one first.
  package func read(_ key: String) -> [TreeListing] { stored(key).compactMap(\.listing) }

  /// The same, as far as a look at the folder needs them.
  package func stored(_ key: String) -> [StoredListing] {
    files(key).compactMap { file in bytes(file).flatMap { StoredListing($0) } }
  }

  /// The paths of the files that may have such a listing, the next one first.
  private func files(_ key: String) -> [String] {
    ([folder] + others).flatMap { folder in [key + Self.nextEnding, key].map { folder + "/" + $0 } }
  }

  private func bytes(_ path: String) -> [UInt8]? {
    guard let file = try? Descriptor(reading: path), let size = try? file.regularSize, size <= Self.longest
    else { return nil }
    return try? file.read(upTo: size, at: 0)
  }

  /// The signature of the first listing that may describe the folder; `nil` if there is none.
  package func firstSignature(_ key: String) -> FileSignature? {
    for case let bytes? in files(key).lazy.map({ bytes($0) }) {
      if let signature = TreeListingForm.signature(bytes) { return signature }
    }
    return nil
  }

  /// The listing of just this key; `nil` if there is none or a damaged one. Throws if the file cannot be read.
  package func present(_ key: String) throws(StateFault) -> TreeListing? {
    var bytes: [UInt8]?
    try attempt(path(key)) { () throws(SystemError) in
      do throws(SystemError) {
        let file = try Descriptor(reading: path(key))
        guard let size = try file.regularSize, size <= Self.longest else { return }
        bytes = try file.read(upTo: size, at: 0)
      } catch {
        guard error.code == ENOENT else { throw error }
      }
    }
    return bytes.flatMap { StoredListing($0)?.listing }
  }

  /// Stores a listing in one step, and waits until it is on the disk.
  package func write(_ listing: TreeListing, as key: String, isNext: Bool = false) throws(StateFault) {
    let name = path(isNext ? key + Self.nextEnding : key)
    try attempt(name) { () throws(SystemError) in
      do throws(SystemError) {
        try call { unsafe mkdir(folder, 0o777) }
        // Otherwise a power cut may lose the folder with all that is in it.
        try Descriptor(folder + "/..", in: AT_FDCWD, O_RDONLY | O_DIRECTORY).sync()
      } catch {
        guard error.code == EEXIST else { throw error }
        try FileStatus.requireFolder(folder)
      }
      let new = try AtomicFile(name + ".new")
      try TreeListingForm.encode(listing) { (bytes, offset) throws(SystemError) in
        try new.file.write(bytes, at: offset)
      }
      try new.file.sync()
      try new.publish(as: name)
      try syncFolder()
    }
  }

  /// Makes the next listing the present one; it is not an error if there is none.
  package func promote(_ key: String) throws(StateFault) {
    try attempt(path(key)) { () throws(SystemError) in
      do throws(SystemError) {
        try FileStatus.requireFolder(folder)
        try call { unsafe rename(path(key + Self.nextEnding), path(key)) }
      } catch {
        guard error.code == ENOENT else { throw error }
        return
      }
      try syncFolder()
    }
  }

  /// Removes both listings of a folder; they may be missing.
  package func remove(_ key: String) {
    guard (try? FileStatus.requireFolder(folder)) != nil else { return }
    for name in [key, key + Self.nextEnding] {
      unsafe unlink(path(name))
      AtomicFile.clear(path(name))
    }
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  private func syncFolder() throws(SystemError) {
    try Descriptor(folder, in: AT_FDCWD, O_RDONLY | O_DIRECTORY).sync()
  }

  private func attempt(_ path: String, _ body: () throws(SystemError) -> Void) throws(StateFault) {
    do throws(SystemError) { try body() } catch { throw .system(error, path: path) }
  }
}

/// A listing as it was stored: to compare it with the disk, no value is made for each entry.
package struct StoredListing: Sendable {
  /// What a look compares.
  package let table: TreeTable
  private let bytes: [UInt8]

  /// `nil` unless they are a listing's bytes, as they were written.
  init?(_ bytes: [UInt8]) {
    guard let table = TreeListingForm.table(bytes) else { return nil }
    self.table = table
    self.bytes = bytes
  }

  /// The whole listing; never `nil`, since ``table`` was read from the same bytes.
  package var listing: TreeListing? { TreeListingForm.decode(bytes) }
}
