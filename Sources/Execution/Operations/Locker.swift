import ContentPipeline
import LocalFiles
package import Planning
package import SyncModel

/// The result of `lock` or `update`.
package struct LockOutcome: Sendable {
  /// Its status is failed also if only the writing of the lock failed; then its failure has the reason. The old lock
  /// is in place, unless there are ``changes``.
  package var run: RunOutcome
  /// The changes from the old lock to the one in place; empty if a target failed.
  package var changes: [PinChange] = []
  /// The changes of the values of variables, as of ``changes``.
  package var values: [ValueChange] = []
  /// Optional targets that failed and have no entry; empty if the lock was not written.
  package var unlocked: [TargetName] = []
  /// Targets whose entries in the lock stay although the manifest has others, since they failed and are optional.
  package var contradictions: [(id: TargetID, what: LockContradiction)] = []
  /// Whether the publication of an earlier run was completed first, or taken back.
  package var concludesEarlier = false
}

/// Brings targets up to date and writes `syncmake.lock`, all or nothing (contract, section 8).
package enum Locker {
  /// Blocks until everything selected has ended and the lock is written; `report` is called on this thread.
  ///
  /// The task's unpinned targets take what their sources have now. If a non-optional target fails, or the
  /// run is interrupted, the lock is unchanged.
  package static func lock(
    _ task: LockTask, in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> LockOutcome {
    var workspace = workspace
    workspace.unpinned = task.unpinned
    let selection = task.selection
    // Nothing is fetched for a lock that could not be put in place.
    if case .unusable(let fault) = workspace.lockSeen {
      throw .unusable(.outputUnwritable(path: LockFile.fileName, fault))
    }
    var settings = settings
    settings.reports.hasPins = true
    let clock = MachineClock()
    let began = clock.monotonic()
    let session = try RunSession(workspace, selection, settings, stop, report)
    report(.started(targets: selection.count))
    let (results, isInterrupted) = session.perform(selection)
    let status = RunJudgement.status(results: results, interrupted: isInterrupted)
    var outcome = LockOutcome(run: RunOutcome(results: results, status: status, duration: .zero))
    outcome.concludesEarlier = session.place.snapshot.completed != nil
    if status == .ok {
      write(results, task, workspace, session, &outcome)
    } else {
      _ = session.publish(lock: nil)
    }
    let ended = session.results(of: selection)
    outcome.run.removed = session.removeGone(
      selection, hasSucceeded: outcome.run.status == .ok && ended.allSatisfy(\.hasSucceeded))
    outcome.run.results = session.results(of: selection)
    if outcome.run.results.contains(where: { $0.outcome == .failed && !$0.isOptional }) {
      outcome.run.status = .failed
    }
    session.close()
    outcome.run.duration = clock.monotonic() - began
    return outcome
  }

  private static func write(
    _ results: [TargetResult], _ task: LockTask, _ workspace: Workspace, _ session: RunSession,
    _ outcome: inout LockOutcome
  ) {
    var found: [TargetName: Pin] = [:]
    for result in results { found[result.name] = result.pin }
    let lock = LockRenewal.lock(
      after: workspace.lock, found: found, in: workspace.manifest, isWhole: task.isWhole)
    let text = text(of: lock, workspace)
    if session.withholds {
      let (isPublished, failure) = session.publish(lock: text)
      outcome.run.failure = failure
      if !isPublished || failure != nil { outcome.run.status = .failed }
      guard isPublished else { return }
    } else {
      // Every output that the lock names is in place, and on disk.
      do throws(FailureCause) { try session.write(lock: text) } catch {
        outcome.run.failure = error
        outcome.run.status = .failed
        guard isInPlace(text, workspace) else { return }
      }
    }
    outcome.changes = LockRenewal.changes(from: workspace.lock, to: lock)
    outcome.values = LockRenewal.valueChanges(from: workspace.lock, to: lock)
    let lists = Set(lock.pins.values.compactMap(\.entry?.template)).union(lock.emptyLists)
    outcome.unlocked = results.filter { result in
      // What stands for a list that cannot be read has no entry of its own; those of the list stay.
      lock.pins[result.name] == nil && workspace.manifest[result.id].gone == nil
        && !lists.contains(result.name.text)
    }.map(\.name)
    let failed = Set(results.filter { $0.outcome == .failed }.map(\.id))
    guard !failed.isEmpty else { return }
    outcome.contradictions = LockReview(lock, workspace.manifest).contradictions.filter {
      failed.contains($0.id)
    }
  }

  /// What the lock is written as: the present file's text if that says the same, however it is spelled. A checkout may have
  /// given it other line ends.
  private static func text(of lock: LockFile, _ workspace: Workspace) -> String {
    if lock == workspace.lock, let root = try? workspace.openRoot(),
      let present = LockWriter.text(workspace.lockSeen, root)
    {
      return present
    }
    return LockFileText.render(lock)
  }

  /// Whether the lock has its name, so that only a sync of it can have failed.
  private static func isInPlace(_ text: String, _ workspace: Workspace) -> Bool {
    guard let root = try? workspace.openRoot() else { return false }
    return LockWriter.isThere(text, root.observe(LockWriter.path), root)
  }
}

/// Puts a lock file in place as outputs are: staged, synced, renamed, its folder synced.
enum LockWriter {
  static let path = RelativePath.lockFile

  /// Whether the file `seen` contains exactly `text`.
  static func isThere(_ text: String, _ seen: OutputObservation, _ root: RootFolder) -> Bool {
    guard case .file(let signature) = seen, signature.size == text.utf8.count else { return false }
    let old = try? OutputHasher.all(of: try root.open(path), limit: text.utf8.count)
    return old?.elementsEqual(text.utf8) ?? false
  }

  /// The text of the file `seen`; `nil` if it is no longer that file.
  static func text(_ seen: OutputObservation, _ root: RootFolder) -> String? {
    guard case .file(let signature) = seen, root.observe(path) == seen,
      let bytes = try? OutputHasher.all(of: try root.open(path), limit: Int(signature.size))
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The sha256 of the present file; `nil` if there is none that can be read.
  static func digest(_ root: RootFolder) -> HexDigest? {
    (try? ContentDigest.of(try root.open(path), [.sha256]))?.sha256
  }

  /// Replaces the file, if there is one, by `text`. Throws as ``stage(_:over:_:_:)`` and ``publish(_:over:digest:_:)`` do.
  static func write(
    _ text: String, over seen: OutputObservation, digest: HexDigest?, _ folder: StateFolder,
    _ root: RootFolder
  ) throws(FailureCause) {
    try publish(stage(text, over: seen, folder, root), over: seen, digest: digest, root)
  }

  /// Writes `text` to a hidden file, and syncs it.
  ///
  /// Throws `.outputUnwritable` if the file is no longer as `seen`, a link or a folder is there or the system refuses;
  /// then the old file is unchanged.
  static func stage(
    _ text: String, over seen: OutputObservation, _ folder: StateFolder, _ root: RootFolder
  ) throws(FailureCause) -> StagedFile {
    let staged = try StagedFile.create(in: folder, for: path, root: root)
    var fault: FailureCause?
    unsafe Array(text.utf8).withUnsafeBytes { bytes in
      do throws(FailureCause) { try unsafe staged.write(bytes) } catch { fault = error }
    }
    if let fault { throw fault }
    try staged.prepare(over: seen, mode: nil, modified: nil)
    try staged.sync()
    return staged
  }

  /// Puts it in place. Throws as ``stage(_:over:_:_:)`` does, also if the old file's sha256 is not `digest`: times may be
  /// too coarse to show that another program has written it. With `nil` only the times count.
  static func publish(
    _ staged: StagedFile, over seen: OutputObservation, digest: HexDigest?, _ root: RootFolder
  ) throws(FailureCause) {
    if let digest, self.digest(root) != digest { throw .lockChanged }
    do throws(FailureCause) {
      try staged.publish(over: seen, mode: nil, modified: nil, expectedDigest: nil)
    } catch {
      guard case .outputModified = error else { throw error }
      throw .lockChanged
    }
    try root.syncFolders(of: [path])
  }
}
