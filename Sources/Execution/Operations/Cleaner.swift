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
    /// No record shows that syncmake wrote it.
    case keptUnknown
    /// The file could not be examined or removed; it is still there.
    case failed(FailureCause)
  }

  /// The target that the output belongs to.
  package var name: TargetName
  /// The file that was looked at.
  package var output: RelativePath
  /// What happened to it.
  package var fate: Fate
}

/// Removes outputs that syncmake wrote and that were not edited (`syncmake clean`).
package enum Cleaner {
  /// In the order of `selection`; folders are left alone, and so is whatever anybody changed.
  package static func clean(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: (RunEvent) -> Void
  ) throws(RunFault) -> [CleanResult] {
    // With no state nothing can be shown to be ours, and making a state folder would be no cleaning.
    guard StateFolder.exists(path: workspace.statePath) else {
      return try StatusReader.statuses(selection, in: workspace, report: report).map { status in
        CleanResult(
          name: status.name, output: status.output, fate: status.state == .missing ? .missing : .keptUnknown)
      }
    }
    let state = try RootLease.hold(
      workspace, waits: settings.waitsForLock, stop: stop, seesLock: false, report: report)
    try state.requireStore()
    let records = RecordIndex(state.snapshot)
    var results: [CleanResult] = []
    var changes: [StateChange] = []
    for id in selection where !stop.isStopped {
      let target = workspace.manifest[id]
      let fate = clean(target, state.root, records, stop)
      if fate == .removed || fate == .missing { changes.append(.forget(output: target.output.path)) }
      results.append(CleanResult(name: target.name, output: target.output.path, fate: fate))
    }
    try state.apply(changes)
    if stop.isStopped { throw .interrupted }
    return results
  }

  private static func clean(
    _ target: Target, _ root: RootFolder, _ records: RecordIndex, _ stop: StopSignal
  ) -> CleanResult.Fate {
    switch OwnedOutput.look(at: target, in: root, records, isInVain: { stop.isStopped }) {
    case .missing: return .missing
    case .unknown: return .keptUnknown
    case .edited: return .keptEdited
    case .ours(let record, _) where isOnlyFound(record, target): return .keptUnknown
    case .ours(_, let signature):
      do throws(FailureCause) {
        return try root.remove(target.output.path, ifStill: signature) ? .removed : .keptEdited
      } catch {
        return .failed(error)
      }
    }
  }

  /// Whether the output existed before the first fetch, or was only recorded by `--touch`: then syncmake did not
  /// write it.
  ///
  /// A copy of another target's output (`from`) has no download either, but is recorded after it was written, with
  /// another time.
  private static func isOnlyFound(_ record: TargetRecord, _ target: Target) -> Bool {
    guard record.download == nil else { return false }
    if case .urls = target.source { return true }
    return record.updatedAt == record.signature.modified
  }
}
