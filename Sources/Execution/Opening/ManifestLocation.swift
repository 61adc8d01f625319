import LocalFiles
package import ManifestParsing
import Planning
import Platform
import StateStore
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The place of a manifest and of its related files.
package struct ManifestLocation: Sendable {
  /// As the command line gives it, or as it was found.
  package let path: String
  package let place: RootPlace
  let caller: CallerFacts
  private let name: String

  /// The names that are searched for, in this order.
  package static let fileNames = Manifest.usualNames

  /// `file` and `stateDir` are what the user named; `nil` if no file is named and none exists.
  package init?(file: String?, stateDir: String?, caller: CallerFacts) {
    guard let path = file ?? Self.usual else { return nil }
    self.path = path
    self.caller = caller
    let root = path.folderPath
    name = path.lastPart
    place = RootPlace(
      root: root, state: stateDir ?? (root == "." ? ".syncmake" : root + "/.syncmake"),
      stateMayBeLink: stateDir != nil)
  }

  /// The manifest of the current folder; `nil` if there is none. A link that leads nowhere is one that cannot be read.
  private static var usual: String? {
    fileNames.first { unsafe access($0, F_OK) == 0 } ?? fileNames.first(where: isLink)
  }

  /// Whether a symbolic link is at `path`, which is from the current folder.
  static func isLink(_ path: String) -> Bool {
    (unsafe try? FileStatus(path, in: AT_FDCWD))?.kind == .link
  }

  /// Why the folder that the user named cannot hold the state; `nil` if it can.
  package var stateObjection: String? {
    guard place.stateMayBeLink else { return nil }
    if let root = RealPath.place(place.root), let state = RealPath.place(place.state),
      root.hasSameBytes(as: state) || root.isPath(in: state)
    {
      return "the manifest is in it"
    }
    if StateFolder.isTaken(path: place.state) { return "it is a file" }
    return StateFolder.foreignEntry(path: place.state).map { "it holds \"\($0)\"" }
  }

  /// Why the state in the folder cannot be used, since a later version wrote it; `nil` if none did. A run would set it
  /// aside.
  package var laterState: String? { StateStore.laterVersion(in: place.state) }

  /// The places that no output may take.
  ///
  /// They include both usual names of manifests, whatever this one is named: a file of such a name would be the manifest
  /// of the next run.
  package var reservedPaths: [String] {
    (Self.fileNames.contains(name) ? [] : [name]) + Self.fileNames + ["syncmake.lock", ".syncmake"] + inside
  }

  /// How the manifest is to be parsed, with the caller's environment.
  package var context: ManifestContext { context(environment: caller.variable) }

  func context(environment: @escaping @Sendable (String) -> String?) -> ManifestContext {
    var context = ManifestContext(fileName: path, reservedPaths: reservedPaths, environment: environment)
    context.place = caller.manifestPlace
    context.rowFiles = unsafe RowFileReading { path, body throws(FailureCause) in
      try unsafe readFile(path, caller.ownsProcess ? HeapAhead.expect(rowsOf:) : { _ in }, body)
    }
    context.included = IncludeReading(
      read: { path throws(FailureCause) in try bytes(of: path) },
      find: { pattern throws(FailureCause) in try place.openRoot().find(pattern) })
    context.root = { [place] in RealPath.of(place.root) }
    context.secretFile = { [place, caller] path throws(SecretFileFault) in
      try SecretFile.read(path, outside: place.root, home: HomePath.home(caller.variable))
    }
    if let policy = caller.policy?.policy { context.policy = ManifestPolicy(policy, policyFacts) }
    context.lookAtPattern = { text in
      do throws(PosixPattern.Fault) { return .groups(try PosixPattern(text).groups) } catch {
        return .invalid(error.text)
      }
    }
    return context
  }

  /// What a policy has to ask about this place.
  private var policyFacts: PolicyFacts {
    let (place, obeysLock) = (place, caller.obeysLock)
    return PolicyFacts(
      isOutside: { RootFolder.isOutside($0, of: place.root) },
      pinned: { manifest in
        guard obeysLock else { return [] }
        var manifest = manifest
        manifest.policy = .untrusted
        var workspace = Workspace(
          manifest: manifest, graph: TargetGraph(manifest), at: place)
        guard (try? workspace.readLock()) != nil, let lock = workspace.lock else { return [] }
        let review = LockReview(lock, manifest)
        return Set(manifest.targets.map(\.id)).subtracting(review.lacking)
          .subtracting(review.contradictions.map(\.id))
      })
  }

  // MARK: Reading

  /// Why the manifest cannot be read, in the system's words.
  package struct Unreadable: Error {
    /// Such as "Permission denied".
    package var text: String
    /// The next step; `nil` if the text is enough.
    package var hint: String?
  }

  /// Why nothing can be written by the manifest: it has no folder for the outputs. `nil` if it has, or is not there.
  package var objection: Unreadable? { objection(to: status) }

  /// A pipe must not be opened for this: that would wait for its writer.
  private func objection(to status: FileStatus?) -> Unreadable? {
    // The real path is asked for only where it may matter.
    guard status?.kind == .other || place.root.hasPrefix("/dev") || place.root.hasPrefix("/proc"),
      status != nil, isInOpenFiles
    else { return nil }
    return Unreadable(text: "it is an open file, and not one of a folder", hint: Self.folderHint)
  }

  private static let folderHint = "write it to a file in the folder whose files it declares"

  /// Whether the root's files are those that processes have opened, wherever they are.
  private var isInOpenFiles: Bool {
    guard let root = RealPath.of(place.root) else { return false }
    return root == "/dev" || root == "/dev/fd" || root.hasPrefix("/proc/") && root.hasSuffix("/fd")
  }

  /// The manifest's bytes, one more than the parser's limit, so that the parser reports it.
  package func read() throws(Unreadable) -> [UInt8] {
    let status = status
    if caller.writesOutputs, let fault = objection(to: status) { throw fault }
    guard caller.policy == nil || !leadsOutside(status) else {
      throw Unreadable(text: "it is a link that leads out of its folder")
    }
    do throws(SystemError) {
      var bytes: [UInt8] = []
      let file = try Descriptor(manifest: path)
      let size = Self.signature(status)?.size ?? 0
      bytes.reserveCapacity(min(Int(clamping: size), ManifestParser.maximumSize) + 1)
      try unsafe file.readBlocks { block in
        unsafe bytes += block
        return bytes.count <= ManifestParser.maximumSize
      }
      return bytes
    } catch {
      let leadsNowhere = error.code == ENOENT && Self.isLink(path)
      throw Unreadable(
        text: leadsNowhere ? "it is a link, and nothing is where it leads" : error.text,
        hint: path == "-" ? Self.folderHint : nil)
    }
  }

  /// Whether it is a link to a file elsewhere, of which messages could show lines; `status` is that of the file.
  private func leadsOutside(_ status: FileStatus?) -> Bool {
    Self.isLink(path) && status?.kind == .file && RootFolder.isOutside(name, of: place.root)
  }

  /// The bytes of an included manifest, one more than the parser's limit at most.
  private func bytes(of path: RelativePath) throws(FailureCause) -> [UInt8] {
    var bytes: [UInt8] = []
    func expect(_ size: Int) { bytes.reserveCapacity(min(size, ManifestParser.maximumSize) + 1) }
    try unsafe readFile(path, expect) { block in
      unsafe bytes += block.prefix(ManifestParser.maximumSize + 1 - bytes.count)
      return bytes.count <= ManifestParser.maximumSize
    }
    return bytes
  }

  /// Hands a further file of the manifest to `body` in blocks, until that wants no more; links are not followed.
  ///
  /// `begin` gets the file's size in bytes before.
  func readFile(
    _ path: RelativePath, _ begin: (Int) -> Void = { _ in }, _ body: (UnsafeRawBufferPointer) -> Bool
  ) throws(FailureCause) {
    if caller.policy != nil, RootFolder.isOutside(path.text, of: place.root) {
      throw .sourceUnreadable(path: path.text, .untrusted)
    }
    let file = try place.openRoot().open(path)
    begin(Int(clamping: file.signature.size))
    try unsafe file.readBlocks(body)
    try file.requireUnchanged()
  }

  /// In bytes; `nil` for anything but a regular file.
  var size: Int? { signature.map { Int($0.size) } }

  /// That of the manifest's file; `nil` for anything but a regular file.
  var signature: FileSignature? { Self.signature(status) }

  private static func signature(_ status: FileStatus?) -> FileSignature? {
    status?.kind == .file ? status?.signature : nil
  }

  /// That of what the path leads to, which is not opened; `nil` if nothing is there.
  private var status: FileStatus? { unsafe try? FileStatus(path, in: AT_FDCWD, followingLinks: true) }

  /// The state folder relative to the root, if it is inside.
  private var inside: [String] {
    guard place.stateMayBeLink, let root = RealPath.place(place.root),
      let state = RealPath.place(place.state),
      state.isPath(in: root)
    else { return [] }
    return [String(Substring(state.utf8.dropFirst(root.utf8.count + 1)))]
  }

  /// `path` without `.` and `..`, as an absolute path; `nil` if there is no current folder.
  package static func absolute(_ path: String) -> String? {
    var whole = path
    if path.utf8.first != UInt8(ascii: "/") {
      guard let here = unsafe getcwd(nil, 0) else { return nil }
      defer { unsafe free(here) }
      whole = unsafe String(cString: here) + "/" + path
    }
    var parts: [Substring] = []
    for part in whole.utf8.split(separator: UInt8(ascii: "/")).map({ Substring($0) }) where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}

extension Descriptor {
  /// Opens a manifest, which may be a pipe: waits for its writer.
  init(manifest path: String) throws(SystemError) {
    self.init(owning: try call { unsafe open(path, O_RDONLY | O_CLOEXEC) })
  }
}
