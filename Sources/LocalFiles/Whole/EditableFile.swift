import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A small file of the user, such as the manifest, that a command reads and replaces as a whole.
///
/// Not for outputs: its place is the user's choice, perhaps behind a link, which stays and is followed.
package struct EditableFile: Sendable {
  /// As given.
  package let path: String
  /// The bytes as read; one more than the limit if the file is longer.
  package let bytes: [UInt8]
  private let folder: OpenFolder
  private let name: String
  private let status: FileStatus

  /// Reads `path`, at most `limit` bytes and one more; links are followed.
  ///
  /// Throws `.sourceUnreadable` if it cannot be read or is not a regular file.
  package init(reading path: String, limit: Int) throws(FailureCause) {
    self.path = path
    let subject = FailureSubject.source(path)
    (folder, name, status, bytes) = try subject.attempt { () throws(SystemError) in
      let place = try Self.place(ofFile: path)
      let file = try Descriptor(place.name, in: place.folder.raw, O_RDONLY | O_NOFOLLOW)
      let status = try FileStatus(file)
      guard status.kind == .file else { throw SystemError(status.kind == .folder ? EISDIR : EINVAL) }
      return (place.folder, place.name, status, try file.readAll(limit: limit + 1))
    }
  }

  /// Replaces the file by `new` in one step, and keeps its mode.
  ///
  /// Two processes that replace files in one folder do so one after another, if the file system has locks.
  ///
  /// Throws `.outputUnwritable` or `.diskFull` if the system refuses; then the file is unchanged.
  /// - Returns: `false` if the file is no longer the one that was read; then it is unchanged.
  package func replace(with new: [UInt8]) throws(FailureCause) -> Bool {
    let turn = FolderTurn(folder)
    defer { withExtendedLifetime(turn) {} }
    guard try isUnchanged() else { return false }
    let (folder, name, mode) = (folder, name, status.mode)
    let subject = FailureSubject.output(path)
    let file = try subject.attempt { () throws(SystemError) in
      try AtomicFile.written(new, mode: mode, in: folder, for: name)
    }
    // An editor knows nothing of turns, and syncing takes its time.
    guard try isUnchanged() else { return false }
    do throws(SystemError) { try file.publish(as: name, in: folder, replacing: true) } catch {
      throw subject.cause(error)
    }
    return true
  }

  private func isUnchanged() throws(FailureCause) -> Bool {
    let (folder, name) = (folder, name)
    let now = try FailureSubject.output(path).attempt { () throws(SystemError) in
      try folder.status(of: name)
    }
    return now.kind == .file && now.signature == status.signature
  }

  /// Writes a new file, with mode 0666 without the umask's bits.
  ///
  /// Throws `.outputUnwritable`, with EEXIST as its fault if something exists, or `.diskFull`.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(FailureCause) {
    try FailureSubject.output(path).attempt { () throws(SystemError) in
      let (folder, name) = try split(path)
      let mode = 0o666 & ~Umask.read()
      try AtomicFile.written(bytes, mode: mode, in: folder, for: name).publish(
        as: name, in: folder, replacing: false)
    }
  }

  /// Whether anything, a link to nowhere too, has this name.
  package static func exists(_ path: String) -> Bool {
    guard let (folder, name) = try? split(path) else { return false }
    return (try? folder.status(of: name)) != nil
  }

  /// The folder and the name of what `path` leads to through links.
  private static func place(ofFile path: String) throws(SystemError) -> (folder: OpenFolder, name: String) {
    guard !path.utf8.contains(0) else { throw SystemError(EINVAL) }
    guard let real = unsafe realpath(path, nil) else { throw SystemError(errno) }
    defer { unsafe free(real) }
    return try unsafe split(String(cString: real))
  }

  private static func split(_ path: String) throws(SystemError) -> (folder: OpenFolder, name: String) {
    guard !path.utf8.contains(0) else { throw SystemError(EINVAL) }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      return (try OpenFolder(path: "."), path)
    }
    let folder = String(decoding: path.utf8[...slash], as: UTF8.self)
    return (try OpenFolder(path: folder), String(decoding: path.utf8[slash...].dropFirst(), as: UTF8.self))
  }
}

/// The right to replace files in a folder, as far as such rights are heeded; it ends with its last reference.
private final class FolderTurn {
  /// Longer than any replacement takes; a later holder is another program.
  private static let patience = 200
  private let descriptor: Descriptor?

  init(_ folder: OpenFolder) {
    guard let file = try? Descriptor(".", in: folder.raw, O_RDONLY | O_DIRECTORY) else {
      descriptor = nil
      return
    }
    let raw = file.raw
    descriptor = consume file
    for _ in 0..<Self.patience {
      guard flock(raw, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR else { return }
      var time = timespec(tv_sec: 0, tv_nsec: 10_000_000)
      unsafe nanosleep(&time, nil)
    }
  }
}

extension AtomicFile {
  /// A file beside the one of this name, written and synced.
  fileprivate static func written(_ bytes: [UInt8], mode: mode_t, in folder: OpenFolder, for name: String)
    throws(SystemError) -> AtomicFile
  {
    let temporary = OrphanMarker.prefix(for: name) + RandomName.suffix()
    let new = try AtomicFile(temporary, in: folder.raw, of: folder, mode: 0o600, removingOld: false)
    try new.file.write(bytes)
    try new.file.setMode(mode)
    try new.file.sync()
    return new
  }

  /// Gives it its name, on the disk too.
  fileprivate consuming func publish(as name: String, in folder: OpenFolder, replacing: Bool)
    throws(SystemError)
  {
    let place = StagingPlace(folder: folder, name: temporary)
    try publish { () throws(SystemError) in try place.move(to: name, in: folder, replacing: replacing) }
    // The name exists: a failed sync does not change that.
    try? folder.sync()
  }
}
