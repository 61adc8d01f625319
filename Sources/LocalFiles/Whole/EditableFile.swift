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
      try NewFile.write(new, mode: mode, in: folder, for: name)
    }
    // An editor knows nothing of turns, and syncing takes its time.
    guard try isUnchanged() else {
      file.remove()
      return false
    }
    try subject.attempt { () throws(SystemError) in try file.move(replacing: true) }
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
      try NewFile.write(bytes, mode: mode, in: folder, for: name).move(replacing: false)
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

/// A file on its way to its name: written and synced under another one in the same folder.
private struct NewFile: ~Copyable {
  private let folder: OpenFolder
  private let temporary: String
  private let name: String

  static func write(
    _ bytes: [UInt8], mode: mode_t, in folder: OpenFolder, for name: String
  ) throws(SystemError) -> NewFile {
    let new = NewFile(
      folder: folder, temporary: OrphanMarker.prefix(for: name) + RandomName.suffix(), name: name)
    let file = try folder.create(new.temporary)
    do throws(SystemError) {
      try file.write(bytes)
      try file.setMode(mode)
      try file.sync()
    } catch {
      new.remove()
      throw error
    }
    return new
  }

  /// Gives the file its name, also on the disk; if that fails, nothing of it remains.
  borrowing func move(replacing: Bool) throws(SystemError) {
    do throws(SystemError) {
      try StagingPlace(folder: folder, name: temporary).move(to: name, in: folder, replacing: replacing)
    } catch {
      remove()
      throw error
    }
    // The name exists: a failed sync does not change that.
    try? folder.sync()
  }

  borrowing func remove() { try? folder.remove(temporary) }
}

extension Descriptor {
  fileprivate borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    var written: Int64 = 0
    let failure: SystemError? = unsafe bytes.withUnsafeBytes { bytes in
      do throws(SystemError) {
        try unsafe write(bytes, at: 0, counting: &written)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}
