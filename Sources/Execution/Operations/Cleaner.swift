import LocalFiles
import Planning
package import SyncModel

/// The result of `clean` for one target's output.
package struct CleanResult: Sendable, Equatable {
  /// The output's fate, and why it was kept.
  package enum Fate: Sendable, Equatable {
    /// The file was removed.
    case removed
    /// Nothing was there.
    case missing
    /// It was edited since syncmake wrote it.
    case keptEdited
    /// The folder has edited files, which stay; the others were removed. `paths` are the first ten of `count`.
    case keptEditedFiles(paths: [String], count: Int)
    /// No record shows that syncmake wrote it.
    case keptUnknown
    /// The file could not be examined or removed; it is still there.
    case failed(FailureCause)
  }

  /// The target that the output belongs to.
  package var name: TargetName
  /// The file or folder that was looked at.
  package var output: Output
  /// What happened to it.
  package var fate: Fate
  /// Whether the folder stays, though what is recorded was removed: there is something else in it.
  package var keepsFolder = false
}

/// Removes outputs that syncmake wrote and that were not edited (`syncmake clean`).
package enum Cleaner {
  /// In the order of `selection`; folders are left alone, and so is whatever anybody changed.
  ///
  /// `removes`: otherwise nothing is changed, and the results are those that it would have; whether a folder would stay is
  /// not known then. `told` gets the results before they are stored, since that may fail.
  package static func clean(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    removes: Bool = true, told: ([CleanResult]) -> Void = { _ in }, report: (RunEvent) -> Void
  ) throws(RunFault) -> [CleanResult] {
    // With no state nothing can be shown to be ours, and making a state folder would be no cleaning.
    guard StateFolder.exists(path: workspace.place.state) else {
      let results = try StatusReader.statuses(selection, in: workspace, report: report).map { status in
        CleanResult(
          name: status.name, output: status.output, fate: status.state == .missing ? .missing : .keptUnknown)
      }
      told(results)
      return results
    }
    let state: RootLease
    if removes {
      state = try RootLease.hold(
        workspace, settings, stop: stop, seesLock: false, clock: MachineClock(),
        report: report)
      try state.requireStore()
    } else {
      do throws(FailureCause) { state = try RootLease.look(at: workspace, report: report) } catch {
        throw .unusable(error)
      }
    }
    let records = RecordIndex(state.snapshot)
    var results: [CleanResult] = []
    var changes: [StateChange] = []
    for id in selection where !stop.isStopped {
      let target = workspace.manifest[id]
      // What stands for a target that is not known has no output of its own.
      if case .unlisted = target.source { continue }
      let locked = workspace.pin(of: target)?.output.sha256
      let fate = clean(target, state.trees, records, stop, locked: locked, removes: removes)
      if fate == .removed || fate == .missing { changes.append(.forget(output: target.path)) }
      let keepsFolder =
        removes && fate == .removed && target.output.isFolder && state.trees.observe(target) != .missing
      results.append(
        CleanResult(name: target.name, output: target.output, fate: fate, keepsFolder: keepsFolder))
    }
    told(results)
    if removes { try state.apply(changes) }
    if stop.isStopped { throw .interrupted }
    return results
  }

  /// Removes one output, if it is recorded and unedited; its record is the caller's to forget.
  ///
  /// `locked` is the sha256 of the output in the lock: whoever wrote these bytes, they are no edit. No record describes them.
  static func clean(
    _ target: Target, _ trees: TreeOutputs, _ records: RecordIndex, _ stop: StopSignal,
    locked: HexDigest? = nil, removes: Bool = true
  ) -> CleanResult.Fate {
    if target.output.isFolder { return cleanFolder(target, trees, records, locked, removes: removes) }
    let found = OwnedOutput.look(at: target, in: trees, records, isInVain: { stop.isStopped })
    switch found {
    case .missing: return .missing
    case .unknown: return .keptUnknown
    case .edited:
      let isLocked = locked != nil && found.sha256(of: target, in: trees, hasEdits: false) == locked
      return isLocked ? .keptUnknown : .keptEdited
    case .unreadable(let cause): return .failed(cause)
    case .ours(let record, _) where record.isOnlyFound(as: target): return .keptUnknown
    case .ours(_, let signature):
      guard removes else { return .removed }
      do throws(FailureCause) {
        return try trees.root.remove(target.path, ifStill: signature) ? .removed : .keptEdited
      } catch {
        return .failed(error)
      }
    }
  }

  private static func cleanFolder(
    _ target: Target, _ trees: TreeOutputs, _ records: RecordIndex, _ locked: HexDigest?, removes: Bool
  ) -> CleanResult.Fate {
    let listing: TreeListing
    let found = OwnedOutput.look(at: target, in: trees, records)
    switch found {
    case .missing where trees.observe(target) == .missing:
      // Only its listing may be left, which says what was there.
      if removes { trees.shelf.remove(TreeOutputs.key(of: target.path)) }
      return .missing
    case .unknown: return .keptUnknown
    // A folder that lacks a file counts as missing, and still has the others.
    case .missing, .edited, .unreadable, .ours:
      guard let known = trees.listing(of: target.path, keepingEdits: false) else { return .keptUnknown }
      listing = known
    }
    let edits = trees.edits(in: target.path)
    if edits != nil, locked != nil, found.sha256(of: target, in: trees, hasEdits: true) == locked {
      return .keptUnknown
    }
    do throws(FailureCause) {
      if removes { _ = try trees.root.removeTree(target.path, listing, keepingEdited: true) }
    } catch {
      return .failed(error)
    }
    guard case .filesModified(let paths, let count)? = edits else {
      if removes { trees.shelf.remove(TreeOutputs.key(of: target.path)) }
      return .removed
    }
    return .keptEditedFiles(paths: paths, count: count)
  }
}
