package import SyncModel

#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

/// The system's attributes of a file, without opening it.
package struct FileStatus {
  /// The type of a file; `other` is a device, a socket or a named pipe.
  package enum Kind { case file, folder, link, other }

  /// The file's type; a link is a link, whatever it leads to.
  package let kind: Kind
  /// The size, times and inode.
  package let signature: FileSignature
  /// The number of the file system; with the inode number it identifies a file.
  package let device: UInt64
  /// The lower twelve bits: permissions, set-id and sticky.
  package let mode: mode_t
  /// The number of names (hard links) that the file has.
  package let links: UInt64
  /// The user id of the owner.
  package let owner: uid_t
  /// The number of its group.
  package let group: gid_t

  /// Throws ENOTDIR unless a folder is at `path`: a link that stands for one could lead anywhere.
  package static func requireFolder(_ path: String) throws(SystemError) {
    guard unsafe try FileStatus(path, in: AT_FDCWD).kind == .folder else { throw SystemError(ENOTDIR) }
  }

  /// Takes the fields out of the system's structure.
  package init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    signature = FileSignature(
      size: Int64(status.st_size), modified: Timestamp(modified), changed: Timestamp(changed),
      inode: UInt64(status.st_ino))
    device = UInt64(truncatingIfNeeded: status.st_dev)
    mode = status.st_mode & 0o7777
    links = UInt64(status.st_nlink)
    owner = status.st_uid
    group = status.st_gid
  }

  /// The status of `name` in `folder`; of a link itself unless `followingLinks`.
  package init(_ name: UnsafePointer<CChar>, in folder: Int32, followingLinks: Bool = false)
    throws(SystemError)
  {
    var status = stat()
    try call { unsafe fstatat(folder, name, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
    self.init(status)
  }

  /// Whether `path` is a file that this process may run.
  package static func isProgram(_ path: String) -> Bool {
    guard let status = unsafe try? FileStatus(path, in: AT_FDCWD, followingLinks: true), status.kind == .file
    else { return false }
    return unsafe access(path, X_OK) == 0
  }

  /// The status of an open file.
  package init(_ descriptor: borrowing Descriptor) throws(SystemError) {
    var status = stat()
    let raw = descriptor.raw
    try call { unsafe fstat(raw, &status) }
    self.init(status)
  }

  /// Why it must not be replaced; `nil` for a regular file.
  package var fault: PathFault? {
    switch kind {
    case .file: nil
    case .folder: .isFolder
    case .link: .isLink
    case .other: .isDevice
    }
  }

  /// The same as an observation of an output: only a regular file can be one.
  package var observation: OutputObservation {
    if let fault { .unusable(fault) } else { .file(signature) }
  }
}

extension Timestamp {
  /// Clamps to the range of 64-bit nanoseconds: a file may have any year.
  package init(_ time: timespec) {
    let exact = Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec)
    self.init(nanoseconds: Int64(clamping: exact))
  }

  /// As the system takes it.
  package var timespec: timespec {
    let seconds = seconds
    return .init(tv_sec: .init(seconds), tv_nsec: .init(nanoseconds &- seconds &* 1_000_000_000))
  }
}
