package import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The root folder, held open by descriptor: every output is reached from it, part by part, through no link.
package final class RootFolder: Sendable {
  /// As given.
  package let path: String
  let top: OpenFolder
  /// What new files are withheld (see ``Umask``).
  let umask: mode_t
  private let lastParent = Monitor<(path: [UInt8], folder: OpenFolder)?>(nil)
  /// The folder that was last found open to new files, and its device.
  let lastWritable = Monitor<(path: [UInt8], device: UInt64)?>(nil)
  let unsynced = Monitor(UnsyncedFolders())
  let made = Monitor(MadeFolders())

  /// Opens `path`, which may itself be reached through links; relative paths start at the current folder.
  ///
  /// Throws `.outputUnwritable` where it is no folder or cannot be entered.
  package init(path: String) throws(FailureCause) {
    self.path = path
    top = try FailureSubject.output(path).attempt { () throws(SystemError) in try OpenFolder(path: path) }
    umask = Umask.read()
  }

  /// Looks at an output without following links: missing (also where a parent folder is), file, or unusable.
  ///
  /// One system call where the output lies in the root or beside the one asked for before; a parent that
  /// was moved away in the meantime may go unnoticed here, never in what writes or removes.
  package func observe(_ path: RelativePath) -> OutputObservation {
    do throws(WalkError) {
      return try unsafe path.text.withParentAndName { parent, name throws(WalkError) in
        let folder = try unsafe cachedParent(of: path, at: parent)
        do throws(SystemError) { return try unsafe FileStatus(name, in: folder.raw).observation } catch {
          throw WalkError(error)
        }
      }
    } catch {
      switch error {
      case .missing: return .missing
      case .fault(let fault): return .unusable(fault)
      }
    }
  }

  /// As ``observe(_:)``, of an output that nobody knows of and to which nothing was published yet.
  ///
  /// A folder that was made here held nothing, so that nobody looks into it: while another thread renames files into
  /// it that takes ten microseconds. What somebody else puts there is kept all the same, as it is when it comes
  /// between a look and the rename.
  package func observeUnpublished(_ path: RelativePath) -> OutputObservation {
    let isInNewFolder = try? unsafe path.text.withParentAndName { parent, _ in
      made.withLock { unsafe $0.has(parent) }
    }
    return isInNewFolder == true ? .missing : observe(path)
  }

  /// Opens an output for reading, no links followed.
  ///
  /// Throws `.outputUnwritable`, whose fault names the link, folder or device that stands there or on the way,
  /// and `.sourceUnreadable` with the path from the root where the system refuses or there is no file.
  package func open(_ path: RelativePath) throws(FailureCause) -> ReadableFile {
    try open(path, as: .source(path.text))
  }

  /// The same, what the system refuses being told of `subject`.
  func open(_ path: RelativePath, as subject: FailureSubject) throws(FailureCause) -> ReadableFile {
    let (folder, name) = try parent(of: path, as: subject)
    do throws(SystemError) {
      let file = try folder.open(name, O_RDONLY)
      let status = try FileStatus(file)
      if status.fault == nil { return ReadableFile(file, status.signature, subject) }
      // Named below.
      throw SystemError(EINVAL)
    } catch {
      // Links and sockets cannot be opened; say what they are rather than what the system says of it.
      let fault = (try? folder.status(of: name))?.fault
      throw fault.map { .outputUnwritable(path: path.text, $0) } ?? subject.cause(error)
    }
  }

  /// Opens a `file` source, absolute or relative to the root; links are followed.
  ///
  /// Throws `.sourceUnreadable` where it cannot be read or is no regular file.
  package func openSource(_ path: String) throws(FailureCause) -> ReadableFile {
    let subject = FailureSubject.source(path)
    try Self.checkSource(path)
    let file = try subject.attempt { () throws(SystemError) in try Descriptor(path, in: top.raw, O_RDONLY) }
    let status = try subject.attempt { () throws(SystemError) in try FileStatus(file) }
    try Self.checkSource(path, status)
    return ReadableFile(file, status.signature, subject)
  }

  /// A NUL would make the system see a shorter path than we do.
  private static func checkSource(_ path: String) throws(FailureCause) {
    guard !path.utf8.contains(0) else {
      throw FailureSubject.source(path).cause(SystemError(EINVAL))
    }
  }

  private static func checkSource(_ path: String, _ status: FileStatus) throws(FailureCause) {
    switch status.kind {
    case .file: return
    case .folder: throw FailureSubject.source(path).cause(SystemError(EISDIR))
    case .link, .other: throw .sourceUnreadable(path: path, text: "not a regular file")
    }
  }

  /// The folder that `path` lies in, the last one used if it is the same and still there.
  private func cachedParent(
    of path: RelativePath, at parent: UnsafeRawBufferPointer
  ) throws(WalkError) -> OpenFolder {
    if unsafe parent.isEmpty { return top }
    let known = lastParent.withLock { last in
      last.flatMap { unsafe $0.path.elementsEqual(parent) ? $0.folder : nil }
    }
    if let known, let status = try? known.status(), status.links > 0 { return known }
    let folder = try walk(to: Place(path))
    lastParent.withLock { $0 = unsafe (Array(parent), folder) }
    return folder
  }
}

extension String {
  /// Calls `body` with the part before the last slash and, as the system wants it, the part after.
  ///
  /// Copies nothing: hundreds of thousands of paths are looked at in a run.
  func withParentAndName<Result>(
    _ body: (UnsafeRawBufferPointer, UnsafePointer<CChar>) throws(WalkError) -> Result
  ) throws(WalkError) -> Result {
    let result = unsafe withCString { start in
      let slash = unsafe strrchr(start, Int32(UInt8(ascii: "/"))).map { unsafe UnsafePointer($0) - start }
      let parent = unsafe UnsafeRawBufferPointer(start: start, count: slash ?? 0)
      return Swift.Result { () throws(WalkError) in
        try unsafe body(parent, start + (slash.map { $0 + 1 } ?? 0))
      }
    }
    return try result.get()
  }
}
