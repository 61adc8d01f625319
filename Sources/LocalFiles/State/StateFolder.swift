import Platform
package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder for everything that must survive a run and is not an output: `.syncmake`, or the value of
/// `--state-dir`.
///
/// It contains `lock`, `staging/` (files being written, worthless after a crash), `partial/` (downloads to resume),
/// perhaps `withheld/` (new outputs of an update that is not published) and `trees/` (what is known of folder outputs,
/// which ``TreeJournal`` and the state's store write), and a `.gitignore` that excludes all of it
/// from version control.
package final class StateFolder: Sendable {
  /// As given.
  package let path: String
  let top: OpenFolder
  let staging: OpenFolder
  let partial: OpenFolder
  /// For files in ``staging``.
  let names = NameSeries()
  /// Opened, and made, by the first update that withholds something.
  private let openWithheld = Monitor<OpenFolder?>(nil)
  /// Whether two names that differ in case only are one in ``staging``; `nil` until a folder output has asked.
  let ignoresCase = Monitor<Bool?>(nil)
  /// Whether files in ``staging`` can wait for their names; `nil` until one has tried.
  let takesNameless = Monitor<Bool?>(nil)
  /// The device of ``staging``: only within one can a file be renamed.
  let device: UInt64

  /// Opens the folder and creates missing parts, including parents.
  ///
  /// A link in its place is refused unless `mayBeLink`: a checked-out `.syncmake` must not redirect our writes, but
  /// a person may use any `--state-dir`. Throws `.outputUnwritable` or `.diskFull` with `path`.
  package init(path: String, mayBeLink: Bool = false) throws(FailureCause) {
    self.path = path
    let subject = FailureSubject.state(path)
    if !mayBeLink, Self.kind(path) == .link { throw .outputUnwritable(path: path, .isLink) }
    top = try subject.attempt { () throws(SystemError) in
      try Self.createFolders(path)
      return try OpenFolder(path: path)
    }
    staging = try Self.subfolder("staging", in: top, path)
    partial = try Self.subfolder("partial", in: top, path)
    let folder = staging
    device = try subject.attempt { () throws(SystemError) in try folder.status().device }
    try Self.createIgnoreFile(in: top, subject)
  }

  /// Whether there is such a folder; writes nothing.
  package static func exists(path: String) -> Bool { kind(path, followingLinks: true) == .folder }

  /// Whether there is something at `path` that is not a folder.
  package static func isTaken(path: String) -> Bool {
    kind(path, followingLinks: true).map { $0 != .folder } ?? false
  }

  /// A foreign entry in the folder at `path`; `nil` if there is none, the folder does not exist, or a run has made
  /// it its own, whatever a later version has stored there.
  ///
  /// A run empties `staging` and writes `lock`, even if they are foreign.
  package static func foreignEntry(path: String) -> String? {
    guard let top = try? OpenFolder(path: path), let names = try? top.names() else { return nil }
    let isOwn = own.isSubset(of: names) && (try? top.status(of: ".gitignore"))?.signature.size == 2
    return isOwn
      ? nil : names.filter { name in !own.contains(name) && !files.contains(where: name.hasPrefix) }.min()
  }

  /// The entries that every run creates.
  private static let own: Set<String> = ["lock", "staging", "partial", ".gitignore"]
  /// How all else begins that a run, or the system, may put there.
  private static let files = [
    "state.db", "snapshot", "outline", "checked", "withheld", "trees", "changes", "lists", "shards",
    "partition", "uploads", ".nfs", "lost+found", ".DS_Store",
  ]

  /// Removes files that an interrupted run was writing; call it only while holding the ``RunLock``.
  ///
  /// Files beside outputs on other devices are included, but only inside `root`; without it their markers stay for
  /// a later call. Trees that a journal is to complete stay. What cannot be removed stays and does no harm.
  package func clearStaging(root: RootFolder? = nil) {
    let needed = TreeJournal.keys(in: self).compactMap { TreeJournal.read($0, in: self)?.staged.text }
    for name in (try? staging.names()) ?? [] where !needed.contains(name) {
      if OrphanMarker.isNote(name) {
        guard let root else { continue }
        OrphanMarker.read(name, in: staging)?.removeFile(in: root)
      }
      staging.removeAll(FileName(name.utf8))
    }
  }

  /// Why nothing can be written into it when its disk is full.
  package var isFull: FailureCause {
    .stateDiskFull(folder: path, largest: PartialDownload.largest(in: self))
  }

  /// The folder for what updates withhold.
  func withheld() throws(SystemError) -> OpenFolder {
    if let open = openWithheld.withLock({ $0 }) { return open }
    try top.createFolder("withheld")
    let folder = try OpenFolder("withheld", in: top)
    openWithheld.withLock { $0 = folder }
    return folder
  }

  /// The path of something in it, for messages.
  func path(of name: String) -> String { path + "/" + name }

  private static func kind(_ path: String, followingLinks: Bool = false) -> FileStatus.Kind? {
    // A slash at the end would have the system follow the link.
    let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
    let trimmed = end.map { String(decoding: path.utf8[...$0], as: UTF8.self) } ?? path
    return unsafe (try? FileStatus(trimmed, in: AT_FDCWD, followingLinks: followingLinks))?.kind
  }

  /// Makes `path` and every folder above it that is missing; `mode` is that of the last one.
  static func createFolders(_ path: String, mode: mode_t = 0o777) throws(SystemError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw SystemError(EINVAL) }
    do throws(SystemError) {
      try call { unsafe mkdir(path, mode) }
    } catch {
      switch error.code {
      case EEXIST: return
      case ENOENT:
        let bytes = path.utf8
        let end = bytes.lastIndex { $0 != UInt8(ascii: "/") } ?? bytes.startIndex
        guard let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/")), slash > bytes.startIndex else {
          throw error
        }
        try createFolders(String(decoding: bytes[..<slash], as: UTF8.self))
        do throws(SystemError) { try call { unsafe mkdir(path, mode) } } catch {
          // Another run was faster.
          guard error.code == EEXIST else { throw error }
        }
      default: throw error
      }
    }
  }

  private static func subfolder(
    _ name: String, in top: OpenFolder, _ path: String
  ) throws(FailureCause) -> OpenFolder {
    try FailureSubject.state(path + "/" + name).attempt { () throws(SystemError) in
      try top.createFolder(name)
      return try OpenFolder(name, in: top)
    }
  }

  private static func createIgnoreFile(in top: OpenFolder, _ subject: FailureSubject) throws(FailureCause) {
    // An empty one is what a full disk left of an earlier try.
    if let there = try? top.status(of: ".gitignore"), there.signature.size > 0 { return }
    try subject.attempt { () throws(SystemError) in
      let file = try top.open(".gitignore", O_WRONLY | O_CREAT, mode: 0o666)
      try file.write(Array("*\n".utf8))
    }
  }
}
