import CSystemShim
import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Folders with new folders that may not be on the disk yet.
///
/// Each has the number of its last change, so that changes during a sync stay noted.
struct UnsyncedFolders: Sendable {
  /// By path from the root, in bytes; empty is the root.
  private(set) var changes: [[UInt8]: Int] = [:]
  private var last = 0

  mutating func note(_ folder: [UInt8]) {
    last += 1
    changes[folder] = last
  }

  /// Forgets what has not changed since `synced` was taken.
  mutating func forget(_ synced: [[UInt8]: Int]) {
    for (folder, change) in synced where changes[folder] == change { changes[folder] = nil }
  }
}

/// Names that were published and may not be on the disk yet, with the folders on the way to them.
package struct PublishedNames: Sendable {
  /// The outputs.
  package let paths: [RelativePath]
  /// The folders that were new when these were published.
  fileprivate let made: [[UInt8]: Int]

  fileprivate init(paths: [RelativePath], made: [[UInt8]: Int]) {
    self.paths = paths
    self.made = made
  }

  /// Names in folders of which none was new.
  package init(paths: [RelativePath]) { self.init(paths: paths, made: [:]) }
}

extension RootFolder {
  /// Makes the missing folders on the way to `paths`, and waits until they are on the disk.
  ///
  /// A file or folder that must not be lost needs this before it is moved: if the power fails and the disk has the move but
  /// not the new folder, both of its names are gone. A folder that cannot be made is left to whoever publishes there. Throws
  /// `.outputUnwritable` or `.diskFull`.
  package func makeFolders(of paths: [RelativePath]) throws(FailureCause) {
    // One of several consecutive outputs in a folder is enough.
    var last: [UInt8]?
    for path in paths {
      let parent = Place(path).parentBytes
      if parent != last { _ = try? parentCreating(of: path) }
      last = parent
    }
    let made = unsynced.withLock(\.changes)
    try sync(folders: made.keys.sorted { $0.lexicographicallyPrecedes($1) })
    unsynced.withLock { $0.forget(made) }
  }

  /// A few are synced one by one.
  private func sync(folders: [[UInt8]]) throws(FailureCause) {
    guard folders.count <= Self.fewFiles else { return try syncFileSystems(of: folders, but: []) }
    for folder in folders { try sync(folder: folder) }
  }

  /// Up to so many files or folders are waited for one by one; for more, whole file systems are.
  static let fewFiles = 4

  /// Makes published outputs durable: their names, new folders on their paths, their modes and times.
  ///
  /// A few are synced one by one, many by one `syncfs` per file system. Their bytes must be synced before they are
  /// published. A missing output is not an error. Throws `.outputUnwritable` or `.diskFull`; then nothing may be
  /// recorded as done.
  package func syncFolders(of paths: [RelativePath]) throws(FailureCause) { try sync(names(of: paths)) }

  /// For outputs that were just published, for ``sync(_:unlessOn:)``.
  package func names(of paths: [RelativePath]) -> PublishedNames {
    PublishedNames(paths: paths, made: unsynced.withLock(\.changes))
  }

  /// The same as ``syncFolders(of:)``; nothing more is done on `devices`, all of which was synced since ``names(of:)``.
  package func sync(
    _ names: PublishedNames, unlessOn devices: Set<UInt64> = []
  ) throws(FailureCause) {
    let (paths, made) = (names.paths, names.made)
    var folders = Set(made.keys)
    // One of several consecutive outputs in a folder is enough.
    var last: [UInt8]?
    for path in paths {
      let isKnown = try? unsafe path.text.withParentAndName { parent, _ in
        unsafe last?.elementsEqual(parent) ?? false
      }
      if isKnown == true { continue }
      let folder = Place(path).parentBytes
      folders.insert(folder)
      last = folder
    }
    // Set has no order; the disk is not to see a different one each time.
    let sorted = folders.sorted { $0.lexicographicallyPrecedes($1) }
    if paths.count <= Self.fewFiles, devices.isEmpty {
      for path in paths { try syncProperties(of: path) }
      for folder in sorted { try sync(folder: folder) }
    } else {
      try syncFileSystems(of: sorted, but: devices)
    }
    unsynced.withLock { $0.forget(made) }
  }

  /// The mode and times were set after the bytes were synced.
  private func syncProperties(of path: RelativePath) throws(FailureCause) {
    // If it cannot be opened, it is gone or its mode forbids it: then only its name can be synced.
    guard let file = try? open(path) else { return }
    try FailureSubject.output(path.text).attempt { () throws(SystemError) in try file.descriptor.sync() }
  }

  private func sync(folder bytes: [UInt8]) throws(FailureCause) {
    guard let folder = try? reach(bytes) else { return }
    try FailureSubject.output(Self.text(bytes)).attempt { () throws(SystemError) in
      do throws(SystemError) { try folder.sync() } catch {
        // A folder that may be written but not listed cannot be opened for this; some systems cannot at all.
        guard error.code != EACCES, error.code != EINVAL else { return }
        throw error
      }
    }
  }

  private func syncFileSystems(of folders: [[UInt8]], but devices: Set<UInt64>) throws(FailureCause) {
    var seen = devices
    for bytes in folders {
      guard let folder = try? reach(bytes), let device = try? folder.status().device else { continue }
      guard !seen.contains(device) else { continue }
      do throws(SystemError) {
        let listing = try Descriptor(".", in: folder.raw, O_RDONLY | O_DIRECTORY)
        try listing.syncFileSystem()
        seen.insert(device)
      } catch {
        switch error.code {
        // There is no such call here, or this folder may not be listed: each folder is synced separately.
        case ENOSYS, EACCES: try sync(folder: bytes)
        default: throw FailureSubject.output(Self.text(bytes)).cause(error)
        }
      }
    }
  }

  private func reach(_ bytes: [UInt8]) throws -> OpenFolder {
    var folder = top
    for part in bytes.split(separator: UInt8(ascii: "/")) {
      folder = try OpenFolder(String(decoding: part, as: UTF8.self), in: folder)
    }
    return folder
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.isEmpty ? "." : String(decoding: bytes, as: UTF8.self)
  }
}

extension Descriptor {
  /// Waits until the whole file system of the file is on the disk.
  borrowing func syncFileSystem() throws(SystemError) {
    let raw = raw
    try call { syncmake_syncfs(raw) }
  }
}
