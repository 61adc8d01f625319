package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A small file of a person's, such as the manifest, that a command reads and replaces as a whole.
///
/// Not for outputs: it lies where the person says, perhaps behind a link, which stays and is written through.
package struct EditableFile: Sendable {
  /// As given.
  package let path: String
  /// As they were read; one more than the limit where the file is longer than that.
  package let bytes: [UInt8]
  private let folder: OpenFolder
  private let name: String
  private let status: FileStatus

  /// Reads `path`, at most `limit` bytes and one more; links are followed.
  ///
  /// Throws `.sourceUnreadable` where it cannot be read or is no regular file.
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

  /// Puts `new` in its place in one step, its mode kept.
  ///
  /// Two processes that replace files of one folder do so one after another, where the file system knows locks.
  ///
  /// Throws `.outputUnwritable` or `.diskFull` where the system refuses; the file is as it was then.
  /// - Returns: `false` where the file is no longer the one that was read, and stays as it is by now.
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

  /// Writes a file that is not there yet, its mode 0666 less the umask.
  ///
  /// Throws `.outputUnwritable`, with EEXIST as its fault where something is there, or `.diskFull`.
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
  /// Longer than any file takes to be replaced; whoever holds it then is none of us.
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

  /// Gives it its name, on the disk too; where that fails nothing of it is left.
  borrowing func move(replacing: Bool) throws(SystemError) {
    do throws(SystemError) {
      try StagingPlace(folder: folder, name: temporary).move(to: name, in: folder, replacing: replacing)
    } catch {
      remove()
      throw error
    }
    // The name is there: what cannot be synced any more is no reason to say it is not.
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
