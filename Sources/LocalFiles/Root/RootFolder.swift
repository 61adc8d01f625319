import Platform
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
  /// Whether `file` sources must be inside, as those of an untrusted manifest must be.
  let confinesSources: Bool
  let top: OpenFolder
  /// The bits that new files must not have (see ``Umask``).
  let umask: mode_t
  /// The same, for callers that choose a mode.
  package var maskOfNewFiles: UInt16 { UInt16(umask) }
  private let lastParent = Monitor<(path: [UInt8], folder: OpenFolder)?>(nil)
  /// The folder that was last found open to new files, and its device.
  let lastWritable = Monitor<(path: [UInt8], device: UInt64)?>(nil)
  let unsynced = Monitor(UnsyncedFolders())
  let made = Monitor(MadeFolders())

  /// Opens `path`, which may contain links; relative paths start at the current folder.
  ///
  /// Throws `.outputUnwritable` if it is not a folder or cannot be entered.
  package init(path: String, confinesSources: Bool = false) throws(FailureCause) {
    self.path = path
    self.confinesSources = confinesSources
    top = try FailureSubject.output(path).attempt { () throws(SystemError) in try OpenFolder(path: path) }
    umask = Umask.read()
  }

  /// Examines an output without following links: missing (also if a parent folder is missing), a file, or unusable.
  ///
  /// It takes one system call if the output is in the root or in the folder of the call before. It may miss that a
  /// parent was moved meanwhile; code that writes or removes files does not.
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

  /// Like ``observe(_:)``, for an output without a record to which nothing was published yet.
  ///
  /// A folder that was created here was empty, so it is not examined: that would take ten microseconds while
  /// another thread renames files into it. A file that another program creates there is safe, as between a look and
  /// the rename.
  package func observeUnpublished(_ path: RelativePath) -> OutputObservation {
    let isInNewFolder = try? unsafe path.text.withParentAndName { parent, _ in
      made.withLock { unsafe $0.has(parent) }
    }
    return isInNewFolder == true ? .missing : observe(path)
  }

  /// Whether the file at `path` has other names, too, whose use changes its times; not if that cannot be found out.
  package func hasOtherNames(_ path: RelativePath) -> Bool {
    let place = Place(path)
    guard let folder = try? walk(to: place), let file = try? status(of: place.name, in: folder) else {
      return false
    }
    return file.kind == .file && file.links > 1
  }

  /// Opens an output for reading, without following links.
  ///
  /// Throws `.outputUnwritable`, whose fault names the link, folder or device at the path or on the way, and
  /// `.sourceUnreadable` with the path from the root if the system refuses or there is no file.
  package func open(_ path: RelativePath) throws(FailureCause) -> ReadableFile {
    try open(path, as: .source(path.text))
  }

  /// The same; refusals of the system use the words of `subject`.
  func open(_ path: RelativePath, as subject: FailureSubject) throws(FailureCause) -> ReadableFile {
    let (folder, name) = try parent(of: path, as: subject)
    do throws(SystemError) {
      let file = try folder.open(name, O_RDONLY)
      let status = try FileStatus(file)
      if status.fault == nil { return ReadableFile(file, status.signature, subject) }
      // Named below.
      throw SystemError(EINVAL)
    } catch {
      // Links and sockets cannot be opened; the failure names them instead of the system's message.
      let fault = (try? folder.status(of: name))?.fault
      throw fault.map { .outputUnwritable(path: path.text, $0) } ?? subject.cause(error)
    }
  }

  /// Opens a `file` source, absolute or relative to the root; links are followed.
  ///
  /// Throws `.sourceUnreadable` if it cannot be read or is not a regular file, and `.hostRefused` for one outside the root
  /// if sources are confined.
  package func openSource(_ path: String) throws(FailureCause) -> ReadableFile {
    let subject = FailureSubject.source(path)
    try Self.checkSource(path)
    if confinesSources {
      do throws(FailureCause) { return try open(confined(path), as: subject) } catch {
        switch error {
        case .outputUnwritable(_, .isFolder): throw subject.cause(SystemError(EISDIR))
        case .outputUnwritable(_, .parentIsNotFolder): throw subject.cause(SystemError(ENOTDIR))
        case .outputUnwritable(_, .isDevice): throw .sourceUnreadable(path: path, .notRegular)
        default: throw error
        }
      }
    }
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
    case .link, .other: throw .sourceUnreadable(path: path, .notRegular)
    }
  }

  /// The folder of `path`: the last used one if it is the same and still exists.
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
