import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// Records the files that are there as up to date, and fetches nothing (`--touch`).
package enum Toucher {
  /// In the order of `selection`; a target whose output is missing is skipped.
  package static func touch(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: (RunEvent) -> Void
  ) throws(RunFault) -> [TargetResult] {
    let state = try LockedState(workspace, waits: settings.waitsForLock, stop: stop, report: report)
    var contents: [TargetID: ContentIdentity] = [:]
    var changes: [StateChange] = []
    var results: [TargetResult] = []
    for id in selection where !stop.isStopped {
      let target = workspace.manifest[id]
      var result = TargetResult(
        id: id, name: target.name, outcome: .skipped, reason: nil, output: target.output)
      result.isOptional = target.isOptional
      do throws(FailureCause) {
        if let record = try record(target, in: workspace, state.root, contents, stop) {
          contents[id] = record.content
          changes.append(.commit(record))
          result.outcome = .fresh
          result.reason = .fresh(.present)
          result.content = record.content
        } else {
          result.skipped = .nothingToTouch
        }
      } catch {
        result.outcome = .failed
        result.failure = TargetFailure(error, keptOutput: true)
      }
      results.append(result)
    }
    if stop.isStopped { throw .interrupted }
    try state.apply(changes)
    for result in results { report(.finished(result)) }
    return results
  }

  private static func record(
    _ target: Target, in workspace: Workspace, _ root: RootFolder, _ contents: [TargetID: ContentIdentity],
    _ stop: StopSignal
  ) throws(FailureCause) -> TargetRecord? {
    let observation = root.observe(target.output)
    if case .unusable(let fault) = observation { throw .outputUnwritable(path: target.output.text, fault) }
    guard case .file = observation else { return nil }
    let file = try root.open(target.output)
    let content = try ContentDigest.of(file, [.sha256], isInVain: { stop.isStopped })
    let now = SystemClock.now()
    return TargetRecord(
      name: target.name, output: target.output,
      definition: Definition.fields(of: target, in: workspace.manifest),
      signature: file.signature, content: content, download: nil, validators: nil,
      inputs: try inputs(of: target, in: workspace, root, contents), checkedAt: now,
      updatedAt: file.signature.modified)
  }

  private static func inputs(
    of target: Target, in workspace: Workspace, _ root: RootFolder, _ contents: [TargetID: ContentIdentity]
  ) throws(FailureCause) -> [InputRecord] {
    var inputs: [InputRecord] = []
    for edge in workspace.graph.dependencies(of: target.id) where edge.kind != .after {
      let name = workspace.manifest[edge.from].name
      if edge.kind == .verify, let entry = edge.entry, let algorithm = edge.algorithm {
        guard contents[edge.from] != nil else { continue }
        let digest = try ExpectedDigest.entry(
          entry, algorithm, in: try root.open(workspace.manifest[edge.from].output), list: name.text)
        inputs.append(InputRecord(kind: .verify, name: name, entry: entry, digest: digest))
      } else if let digest = contents[edge.from]?.sha256 {
        inputs.append(InputRecord(kind: edge.kind, name: name, digest: digest))
      }
    }
    return inputs
  }
}
