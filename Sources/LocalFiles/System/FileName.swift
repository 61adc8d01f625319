import CSystemShim
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A name in a folder, in the system's own bytes: unlike a `String`, it need not be UTF-8.
struct FileName: Hashable {
  /// Ends with a zero.
  let characters: [CChar]

  /// `bytes` has neither a zero nor a slash.
  init(_ bytes: some Collection<UInt8>) {
    var characters: [CChar] = []
    characters.reserveCapacity(bytes.count + 1)
    for byte in bytes { characters.append(CChar(bitPattern: byte)) }
    characters.append(0)
    self.characters = characters
  }

  var bytes: [UInt8] { characters.dropLast().map { UInt8(bitPattern: $0) } }

  /// For messages, and for names of our own.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Descriptor {
  /// As with a `String`.
  init(_ name: FileName, in folder: Int32, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
    self.init(
      owning: try call { unsafe openat(folder, name.characters, flags | O_CLOEXEC | O_NONBLOCK, mode) })
  }
}

// None of these follows a link.
extension OpenFolder {
  /// The names of its entries, in no order.
  func entries() throws(SystemError) -> [FileName] { try children().map(\.name) }

  /// The same, and whether each is a folder; `nil` if the file system does not say.
  func children() throws(SystemError) -> [(name: FileName, isFolder: Bool?)] {
    var listing = try Descriptor(".", in: raw, O_RDONLY | O_DIRECTORY)
    guard let stream = unsafe fdopendir(listing.raw) else { throw SystemError(errno) }
    listing.disown()  // The stream closes it.
    defer { unsafe closedir(stream) }
    var children: [(name: FileName, isFolder: Bool?)] = []
    let dot = CChar(UInt8(ascii: "."))
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        // If an error looked like the end, what was not seen would be lost.
        guard errno == 0 else { throw SystemError(errno) }
        return children
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          unsafe FileName(UnsafeBufferPointer(start: $0, count: strlen($0)))
        }
      }
      let isDots = name.characters.count <= 3 && name.characters.dropLast().allSatisfy { $0 == dot }
      guard !isDots else { continue }
      let kind = unsafe Int(entry.pointee.d_type)
      children.append((name, kind == Int(DT_UNKNOWN) ? nil : kind == Int(DT_DIR)))
    }
  }

  func status(of name: FileName) throws(SystemError) -> FileStatus {
    try unsafe FileStatus(name.characters, in: raw)
  }

  func open(_ name: FileName, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor {
    try Descriptor(name, in: raw, flags | O_NOFOLLOW, mode: mode)
  }

  /// Makes a folder unless something of that name is there; returns whether it was made.
  @discardableResult
  func createFolder(_ name: FileName) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try call { unsafe mkdirat(raw, name.characters, 0o777) }
      return true
    } catch {
      guard error.code == EEXIST else { throw error }
      return false
    }
  }

  /// Removes a file, never a folder; it is not an error if it is missing.
  func remove(_ name: FileName) throws(SystemError) {
    do throws(SystemError) { try call { unsafe unlinkat(raw, name.characters, 0) } } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  /// Removes an empty folder.
  func removeFolder(_ name: FileName) throws(SystemError) {
    try call { unsafe unlinkat(raw, name.characters, AT_REMOVEDIR) }
  }

  /// Removes a file, or a folder with everything in it; what cannot be removed stays, and so does what is mounted in it.
  func removeAll(_ name: FileName) {
    // Most are files.
    if (try? remove(name)) != nil { return }
    guard let folder = try? OpenFolder(name, in: self), !folder.isMountPoint else { return }
    for isOpened in [false, true] {
      for entry in (try? folder.entries()) ?? [] { folder.removeAll(entry) }
      if (try? removeFolder(name)) != nil || isOpened { return }
      // A folder that its owner may not write to can be opened by its owner.
      try? folder.setMode(0o700)
    }
  }

  /// Whether another file system, or another folder of this one, is mounted here.
  var isMountPoint: Bool { syncmake_is_mount_root(raw) != 0 }

  /// Gives the file `name` a second name in another folder; fails with EEXIST if the name exists.
  func link(_ name: FileName, to other: FileName, in folder: OpenFolder) throws(SystemError) {
    try call { unsafe linkat(raw, name.characters, folder.raw, other.characters, 0) }
  }

  /// Renames `name` to a name in another folder, and replaces a file that is there.
  func move(_ name: FileName, to other: FileName, in folder: OpenFolder) throws(SystemError) {
    try call { unsafe renameat(raw, name.characters, folder.raw, other.characters) }
  }

  /// The same, but fails with EEXIST if something is there.
  func moveNew(_ name: FileName, to other: FileName, in folder: OpenFolder) throws(SystemError) {
    do throws(SystemError) {
      try call { unsafe syncmake_rename_exclusive(raw, name.characters, folder.raw, other.characters) }
      return
    } catch {
      // Old systems, sandboxes and some file systems cannot do this; then a check directly before must be enough.
      guard error.isUnsupported || error.code == EPERM else { throw error }
    }
    do throws(SystemError) { _ = try folder.status(of: other) } catch {
      guard error.code == ENOENT else { throw error }
      return try move(name, to: other, in: folder)
    }
    throw SystemError(EEXIST)
  }

  /// Copies a file with its mode and time, or a link, into another folder, and waits until the copy is on the disk.
  ///
  /// Throws `refusal` for anything else.
  func copy(
    _ name: FileName, to other: FileName, in folder: OpenFolder, else refusal: SystemError
  ) throws(SystemError) {
    let status = try status(of: name)
    switch status.kind {
    case .link: try folder.createLink(other, target: try target(of: name))
    case .file:
      let old = try open(name, O_RDONLY)
      let new = try folder.open(other, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
      let found = try FileStatus(old)
      try old.copy(to: new, size: found.signature.size)
      try new.setProperties(
        mode: UInt16(found.mode) & 0o777, modified: found.signature.modified, mustHaveMode: false)
      try new.sync()
    case .folder, .other: throw refusal
    }
  }

  /// Sets the mtime of a file or a link to the present.
  func touch(_ name: FileName) throws(SystemError) {
    let times = [
      timespec(tv_sec: 0, tv_nsec: .init(syncmake_utime_omit)),
      timespec(tv_sec: 0, tv_nsec: .init(syncmake_utime_now)),
    ]
    try call { unsafe utimensat(raw, name.characters, times, AT_SYMLINK_NOFOLLOW) }
  }

  /// Sets the folder's own permission bits; it must be readable.
  func setMode(_ mode: mode_t) throws(SystemError) {
    try Descriptor(".", in: raw, O_RDONLY | O_DIRECTORY).setMode(mode)
  }

  /// Gives the folder this group, if the system allows it, and has it hand the group on exactly if a folder with `mode` does
  /// so (setgid); it must be readable.
  func takeGroup(_ group: gid_t, handingOn mode: mode_t) throws(SystemError) {
    let (now, setgid) = (try status(), mode & 0o2000)
    guard now.group != group || now.mode & 0o2000 != setgid else { return }
    let folder = try Descriptor(".", in: raw, O_RDONLY | O_DIRECTORY)
    let isTaken = now.group == group || (try? folder.setGroup(group)) != nil
    try folder.setMode(now.mode & ~0o2000 | (isTaken ? setgid : 0))
  }

  /// Makes a symbolic link.
  func createLink(_ name: FileName, target: [UInt8]) throws(SystemError) {
    try call { unsafe symlinkat(FileName(target).characters, raw, name.characters) }
  }

  /// The target of a symbolic link.
  func target(of name: FileName) throws(SystemError) -> [UInt8] {
    // Longer than any target that the system takes.
    var target = [CChar](repeating: 0, count: 4097)
    let count = try callForSize { unsafe readlinkat(raw, name.characters, &target, target.count) }
    return target[..<count].map { UInt8(bitPattern: $0) }
  }
}
