import ContentPipeline
import LocalFiles
import Planning
package import SyncModel

/// Records the files that are there as up to date, and fetches nothing (`--touch`).
package enum Toucher {
  /// In the order of `selection`; a target whose output is missing is skipped, and what `settings` assumes to be fresh is
  /// left as it is, without a result.
  package static func touch(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: (RunEvent) -> Void
  ) throws(RunFault) -> [TargetResult] {
    let clock = MachineClock()
    let state = try RootLease.hold(
      workspace, settings, stop: stop, seesLock: false, clock: clock, report: report)
    try state.requireStore()
    var contents: [TargetID: ContentIdentity] = [:]
    var changes: [StateChange] = []
    var results: [TargetResult] = []
    let terms = TargetTerms(.touch, manifest: workspace.manifest, graph: workspace.graph)
    var lists: [TargetID: ChecksumList] = [:]
    let records = RecordIndex(state.snapshot)
    for id in selection where !stop.isStopped {
      guard !settings.overrides.assumedOld.contains(id) else {
        contents[id] = records.record(for: workspace.manifest[id])?.content
        continue
      }
      var machine = TargetMachine(
        question(on: id, in: workspace, state.trees, records, at: clock.now()), on: terms)
      machine.dependencies = workspace.graph.dependencies(of: id).map { edge in
        DependencyFacts(
          id: edge.from, kind: edge.kind, name: workspace.manifest[edge.from].name, entry: edge.entry,
          content: contents[edge.from]?.sha256)
      }
      var actions = machine.begin()
      while !actions.isEmpty {
        let performed = actions
        actions = []
        for action in performed {
          switch action {
          case .readOutput(let algorithms):
            let target = workspace.manifest[id]
            let lines = lines(of: target, in: workspace, state.root, contents, &lists)
            actions += machine.handle(.dependenciesRead(lines), now: clock.now())
            let locked = workspace.lock?.pins[target.name]?.output.sha256
            let content = read(target, algorithms, in: state.trees, locked, stop)
            let seen = target.output.isFolder ? look(at: target, in: state.trees) : nil
            actions += machine.handle(
              .outputRead(content, seen: seen.flatMap { $0.isFile ? $0 : nil }), now: clock.now())
          case .remember(let record): changes.append(.commit(record))
          case .settle(let content): contents[id] = content
          case .end(let result): results.append(result)
          default: break
          }
        }
      }
    }
    if stop.isStopped { throw .interrupted }
    try state.apply(changes)
    for result in results { report(.finished(result)) }
    return results
  }

  private static func question(
    on id: TargetID, in workspace: Workspace, _ trees: TreeOutputs, _ records: RecordIndex,
    at now: Timestamp
  ) -> FreshnessQuestion {
    let target = workspace.manifest[id]
    // Of a folder that was never unpacked here, there is nothing to record.
    let isUnknown =
      target.output.isFolder && trees.listing(of: target.path, keepingEdits: false) == nil
    return FreshnessQuestion(
      target: target, definition: Definition.fields(of: target, in: workspace.manifest),
      record: records.record(for: target), pending: records.pending(for: target),
      output: isUnknown ? .missing : look(at: target, in: trees), now: now)
  }

  /// What is at the target's output; a folder that lacks a file is one, also if others have new times.
  private static func look(at target: Target, in trees: TreeOutputs) -> OutputObservation {
    let seen = trees.observe(target)
    guard target.output.isFolder, seen.isFile, let gap = (try? trees.read(target))?.gap else { return seen }
    return .incomplete(gap)
  }

  /// `locked` is the sha256 of the output in the lock: files that make up this folder are recorded as unpacked, and are no
  /// edits.
  private static func read(
    _ target: Target, _ algorithms: Set<DigestAlgorithm>, in trees: TreeOutputs, _ locked: HexDigest?,
    _ stop: StopSignal
  ) -> Result<ContentIdentity, FailureCause> {
    Result { () throws(FailureCause) in
      if target.output.isFolder {
        let reading = try trees.read(
          target.path, keepingEdits: OutputLook(target) == .folderWithEdits, mayWrite: locked != nil,
          locked: locked, isInVain: { stop.isStopped })
        // The record of a folder is what was unpacked.
        if let edits = trees.edits(in: target.path), target.localChanges != .keep { throw edits }
        return reading.content
      }
      return try ContentDigest.of(try trees.root.open(target.path), algorithms, isInVain: { stop.isStopped })
    }
  }

  /// The lines that the target's `verify` steps read, of lists that are touched, too.
  private static func lines(
    of target: Target, in workspace: Workspace, _ root: RootFolder, _ contents: [TargetID: ContentIdentity],
    _ lists: inout [TargetID: ChecksumList]
  ) -> Result<[DependencyState], FailureCause> {
    Result { () throws(FailureCause) in
      var states: [DependencyState] = []
      for edge in workspace.graph.dependencies(of: target.id) where edge.kind == .verify {
        guard contents[edge.from] != nil, let entry = edge.entry, let algorithm = edge.algorithm else {
          continue
        }
        let (path, name) = (workspace.manifest[edge.from].path, workspace.manifest[edge.from].name)
        if lists[edge.from] == nil {
          lists[edge.from] = try ExpectedDigest.list(in: root.open(path), source: name.text)
        }
        guard let list = lists[edge.from] else { continue }
        let digest = try ExpectedDigest.entry(entry, algorithm, in: list, source: name.text).get()
        states.append(
          DependencyState(kind: .verify, name: name, entry: entry, content: .settled(digest)))
      }
      return states
    }
  }
}
