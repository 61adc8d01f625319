import Execution
import LocalFiles
import ManifestParsing
import Platform
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The place of a manifest and of its related files.
struct ManifestLocation {
  /// As the command line gives it, or as it was found.
  let path: String
  /// The manifest's folder.
  let root: String
  let statePath: String
  /// The user named the state folder, and may have made it a link.
  let stateMayBeLink: Bool
  private let name: String

  /// The names that are searched for, in this order.
  static let fileNames = ["syncmake.yaml", "syncmake.yml"]

  /// `file` and `stateDir` are the options' values; `nil` if no file is named and none exists.
  init?(file: String?, stateDir: String?) {
    guard let path = file ?? Self.fileNames.first(where: { unsafe access($0, F_OK) == 0 }) else {
      return nil
    }
    self.path = path
    let slash = path.lastIndex(of: "/")
    root = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    statePath = stateDir ?? (root == "." ? ".syncmake" : root + "/.syncmake")
    stateMayBeLink = stateDir != nil
  }

  /// Why the folder of `--state-dir` cannot hold the state; `nil` if it can.
  var stateObjection: String? {
    guard stateMayBeLink else { return nil }
    if let root = Self.absolute(root), let state = Self.absolute(statePath),
      "\(root)/".hasPrefix(state == "/" ? "/" : "\(state)/")
    {
      return "the manifest is in it"
    }
    if StateFolder.isTaken(path: statePath) { return "it is a file" }
    return StateFolder.foreignEntry(path: statePath).map { "it holds \"\($0)\"" }
  }

  /// The places that no output may take: both names of manifests if one of them is used, since a file of the other
  /// name would be the manifest of the next run.
  var reservedPaths: [String] {
    (Self.fileNames.contains(name) ? Self.fileNames : [name]) + ["syncmake.lock", ".syncmake"] + inside
  }

  // MARK: Reading

  /// Why the manifest cannot be read, in the system's words.
  struct Unreadable: Error { var text: String }

  /// The manifest's bytes, one more than the parser's limit, so that the parser reports it.
  func read() throws(Unreadable) -> [UInt8] {
    do throws(SystemError) {
      var bytes: [UInt8] = []
      let file = try Descriptor(manifest: path)
      bytes.reserveCapacity(min(Self.size(of: path) ?? 0, ManifestParser.maximumSize) + 1)
      try unsafe file.readBlocks { block in
        unsafe bytes += block
        return bytes.count <= ManifestParser.maximumSize
      }
      return bytes
    } catch {
      throw Unreadable(text: error.text)
    }
  }

  /// In bytes; `nil` for anything but a regular file, such as a pipe: opening it may take for ever, and closing it
  /// again may be the end of who writes to it.
  private static func size(of path: String) -> Int? {
    guard let status = unsafe try? FileStatus(path, in: AT_FDCWD, followingLinks: true), status.kind == .file
    else { return nil }
    return Int(status.signature.size)
  }

  // MARK: The compiled snapshot

  /// The key of the sums in a new snapshot; `nil` if none is wanted.
  func snapshotKey() -> ByteSum.Key? {
    mayUseSnapshot ? QuickCheck.key(in: statePath) ?? .random() : nil
  }

  /// The manifest with no other targets than these, as `bytes` have it; `nil` where that takes reading all of it.
  func manifest(of open: OpenTargets, in bytes: [UInt8]) -> Manifest? {
    let premises = open.premises
    guard unsafe bytes.withUnsafeBytes({ unsafe ByteSum.of($0, premises.key) }) == premises.manifest,
      let outline = open.outline(in: statePath),
      let text = unsafe bytes.withUnsafeBytes({ unsafe outline.text(ofEntries: open.numbers, in: $0) })
    else { return nil }
    let variables = AskedVariables()
    let parse = ManifestParser.parse(
      text,
      context: ManifestContext(
        fileName: path, reservedPaths: reservedPaths, environment: variables.value))
    guard parse.diagnostics.isEmpty, let manifest = parse.manifest, manifest.secrets.isEmpty,
      manifest.targets.map(\.output.path) == open.outputs,
      variables.values.allSatisfy({ variable in premises.environment.contains { $0.name == variable.name } })
    else { return nil }
    return manifest
  }

  /// The premises of a snapshot from these bytes.
  func premises(
    of bytes: [UInt8], _ key: ByteSum.Key, _ variables: [(name: String, value: String?)]
  ) -> SnapshotPremises {
    unsafe SnapshotPremises(
      circumstances: circumstances, key: key, manifest: bytes.withUnsafeBytes { unsafe ByteSum.of($0, key) },
      environment: variables.map {
        SnapshotPremises.Variable(name: $0.name, mark: EnvironmentMark.of($0.value, key))
      })
  }

  /// The question to a snapshot; `nil` if none may be used, or the manifest is not a regular file.
  func quickQuestion(isRun: Bool) -> QuickCheck.Question? {
    guard mayUseSnapshot, let size = Self.size(of: path) else { return nil }
    return QuickCheck.Question(
      rootPath: root, statePath: statePath, stateMayBeLink: stateMayBeLink, isRun: isRun,
      circumstances: circumstances, manifestSize: Int64(size), manifestSum: sum, editedManifest: edited,
      environment: Environment.variable)
  }

  private var mayUseSnapshot: Bool {
    // A proxy's password affects the masking.
    !Environment.isWithoutSnapshots && Environment.proxyPasswords.isEmpty
  }

  /// Machines of several kinds may share a folder, and `${os}` and `${arch}` differ on them.
  private static let program = "\(Version.number) \(BuiltInVariables.os) \(BuiltInVariables.arch)"

  private var circumstances: [String] {
    [Self.program, String(geteuid()), path, statePath, String(stateMayBeLink)] + reservedPaths
  }

  private func sum(_ key: ByteSum.Key) -> ByteSum.Value? {
    guard let file = try? Descriptor(manifest: path) else { return nil }
    return ByteSum.value(of: file, key)
  }

  private func edited(_ outline: ManifestOutline, _ key: ByteSum.Key) -> EditedManifest? {
    guard let bytes = try? read() else { return nil }
    return unsafe bytes.withUnsafeBytes { bytes in
      guard let revision = unsafe outline.revised(to: bytes, key) else { return nil }
      let sum = unsafe ByteSum.of(bytes, key)
      var edited = EditedManifest(sum: sum, outline: revision.outline)
      if let changes = revision.changes {
        guard let changed = changed(changes, &edited.outline) else { return nil }
        edited.changed = changed
      }
      return edited
    }
  }

  /// The changed targets; `nil` if they are not a manifest that may have a snapshot and an outline.
  private func changed(
    _ changes: ManifestRevision.Changes, _ outline: inout ManifestOutline
  ) -> ChangedTargets? {
    let variables = AskedVariables()
    let parse = ManifestParser.parse(
      changes.text,
      context: ManifestContext(
        fileName: path, reservedPaths: reservedPaths, environment: variables.value))
    // More than it can be, since what the entries made before is not taken off.
    outline.expandedSize += parse.expandedSize
    guard parse.diagnostics.isEmpty, let manifest = parse.manifest, manifest.targets.count == changes.count,
      manifest.secrets.isEmpty, !manifest.mayHoldCredentials,
      outline.expandedSize <= ManifestParse.mostExpanded
    else { return nil }
    return ChangedTargets(manifest: manifest, variables: variables.values.map(\.name))
  }

  /// The state folder relative to the root, if it is inside.
  private var inside: [String] {
    guard stateMayBeLink, let root = Self.absolute(root), let state = Self.absolute(statePath),
      state.hasPrefix(root + "/")
    else { return [] }
    return [String(Substring(state.utf8.dropFirst(root.utf8.count + 1)))]
  }

  /// `path` without `.` and `..`, as an absolute path; `nil` if there is no current folder.
  private static func absolute(_ path: String) -> String? {
    var parts: [Substring] = []
    if !path.hasPrefix("/") {
      guard let here = unsafe getcwd(nil, 0) else { return nil }
      defer { unsafe free(here) }
      parts = unsafe String(cString: here).split(separator: "/").map { Substring(String($0)) }
    }
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}

extension Manifest {
  /// Whether a target has credentials, perhaps in plain text.
  ///
  /// With the outline's sum of a target, and the rest of that target, an attacker could test passwords.
  var mayHoldCredentials: Bool {
    targets.contains { $0.authentication != nil || !$0.headers.isEmpty }
  }
}

extension Descriptor {
  /// Opens a manifest, which may be a pipe: waits for its writer.
  fileprivate init(manifest path: String) throws(SystemError) {
    self.init(owning: try call { unsafe open(path, O_RDONLY | O_CLOEXEC) })
  }
}
