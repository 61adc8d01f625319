import LocalFiles
import ManifestParsing
import Platform
import StateStore
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a compiled snapshot is made for, and asked about.
extension ManifestLocation {
  /// The key of a new snapshot's sums; `nil` if a run must not write one.
  func snapshotKey() -> ByteSum.Key? {
    mayUseSnapshot ? QuickCheck.key(in: place.state) ?? .random() : nil
  }

  /// The manifest with no other targets than these, read from `bytes`; `nil` if this requires reading all of it.
  func manifest(of open: OpenTargets, in bytes: [UInt8]) -> Manifest? {
    let premises = open.premises
    guard unsafe bytes.withUnsafeBytes({ unsafe ByteSum.of($0, premises.key) }) == premises.manifest,
      let outline = open.outline(in: place.state),
      let text = unsafe bytes.withUnsafeBytes({ unsafe outline.text(ofEntries: open.numbers, in: $0) })
    else { return nil }
    let variables = AskedVariables(caller)
    let parse = ManifestParser.parse(text, context: context(environment: variables.value))
    guard parse.diagnostics.isEmpty, let manifest = parse.manifest, manifest.secrets.isEmpty,
      manifest.targets.map(\.path) == open.outputs,
      variables.values.allSatisfy({ variable in premises.environment.contains { $0.name == variable.name } })
    else { return nil }
    return manifest
  }

  /// The premises of a snapshot of a manifest that was read from these bytes.
  func premises(
    of manifest: Manifest, from bytes: [UInt8], _ key: ByteSum.Key,
    _ variables: [(name: String, value: String?)], _ lists: [ListSum]
  ) -> SnapshotPremises {
    unsafe SnapshotPremises(
      circumstances: circumstances, key: key, manifest: bytes.withUnsafeBytes { unsafe ByteSum.of($0, key) },
      environment: variables.map {
        SnapshotPremises.Variable(name: $0.name, mark: EnvironmentMark.of($0.value, key))
      }, files: manifest.furtherFiles, patterns: manifest.includePatterns, lists: lists)
  }

  /// The question to a snapshot; `nil` if none may be used, or the manifest is not a regular file.
  package func quickQuestion(isRun: Bool) -> QuickCheck.Question? {
    guard mayUseSnapshot, let size else { return nil }
    var present = present(size: Int64(size), sum: sum, edited: edited)
    present.fileSum = fileSum
    present.matchSum = matchSum
    return QuickCheck.Question(at: place, present, isRun: isRun)
  }

  /// The same for a run of targets that are in no file, but were declared by these bytes.
  package func quickQuestion(ofDeclared bytes: [UInt8]) -> QuickCheck.Question? {
    guard mayUseSnapshot else { return nil }
    let present = present(
      size: Int64(bytes.count),
      sum: { key in unsafe bytes.withUnsafeBytes { unsafe ByteSum.of($0, key) } }, edited: { _, _ in nil })
    return QuickCheck.Question(at: place, present, isRun: true)
  }

  private func present(
    size: Int64, sum: @escaping (ByteSum.Key) -> ByteSum.Value?,
    edited: @escaping (ManifestOutline, ByteSum.Key) -> EditedManifest?
  ) -> QuickCheck.PresentPremises {
    QuickCheck.PresentPremises(
      circumstances: circumstances, manifestSize: size, manifestSum: sum, editedManifest: edited,
      environment: caller.variable)
  }

  private var mayUseSnapshot: Bool {
    // A proxy's password affects the masking.
    caller.allowsSnapshots && caller.proxyPasswords.isEmpty && caller.policy == nil
  }

  private var circumstances: [String] {
    // Machines of several kinds may share a folder, and `${os}` and `${arch}` differ on them.
    let program = "\(caller.version) \(BuiltInVariables.os) \(BuiltInVariables.arch)"
    return [program, String(geteuid()), path, place.state, String(place.stateMayBeLink)] + reservedPaths
  }

  private func sum(_ key: ByteSum.Key) -> ByteSum.Value? {
    guard let file = try? Descriptor(manifest: path) else { return nil }
    return ByteSum.value(of: file, key)
  }

  private func matchSum(_ pattern: String, _ key: ByteSum.Key) -> ByteSum.Value? {
    guard let path = try? RelativePath(pattern), let pattern = try? FilePattern(path),
      let files = try? place.openRoot().find(pattern)
    else { return nil }
    return IncludePattern.sum(of: files, key)
  }

  private func fileSum(_ path: RelativePath, _ key: ByteSum.Key) -> ByteSum.Value? {
    var sum = ByteSum(key)
    let isRead: Void? = unsafe try? readFile(path) { block in
      unsafe sum.update(block)
      return true
    }
    return isRead.map { sum.value }
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
    let variables = AskedVariables(caller)
    let parse = ManifestParser.parse(changes.text, context: context(environment: variables.value))
    // This is an upper bound: the earlier contribution of the entries is not subtracted.
    outline.expandedSize += parse.expandedSize
    guard parse.diagnostics.isEmpty, let manifest = parse.manifest, manifest.targets.count == changes.count,
      manifest.secrets.isEmpty, !manifest.mayHoldCredentials,
      outline.expandedSize <= ManifestParse.mostExpanded
    else { return nil }
    return ChangedTargets(manifest: manifest, variables: variables.values.map(\.name))
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
