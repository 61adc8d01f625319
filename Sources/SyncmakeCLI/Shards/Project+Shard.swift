import ArgumentParser
import Execution
import Planning
import Reporting
import SyncModel

import enum Syncmake.LockManner

extension Project {
  /// Leaves a shard its part of the limits for hosts; nothing changes without a shard.
  mutating func divideHosts(_ options: ShardOptions) throws {
    guard let (shard, _) = try options.found() else { return }
    divideHosts(among: shard.total)
  }

  /// Leaves of `chosen` what the shard of `options` runs, and has everything that follows use its state; nothing changes
  /// without a shard.
  mutating func enter(
    _ options: ShardOptions, _ selection: SelectionOptions, _ chosen: inout [TargetID],
    _ settings: inout RunSettings
  ) throws {
    guard let (shard, scheduler) = try options.found() else { return }
    if let scheduler, verbosity == .verbose {
      Console.err("shard \(shard.text), as \(scheduler.rawValue) says\n")
    }
    let partition = try partition(chosen, shard.total, by: shard.division)
    let unknown = Set(manifest.templates.filter(\.targets.isEmpty).map(\.list.template))
    let failed = Set(
      failedLists(among: chosen).map(\.target).filter { unknown.contains($0.name.text) }.map(\.id))
    let mine = partition.targets(of: shard.part, in: workspace.graph)
    // Nobody knows whose the targets are that a list would have named, so that no shard may call its work done.
    var others = failed
    // Without seed, somebody has to make them.
    if options.withShared, shard.part == .number(1) {
      others.formUnion(partition.neededByNone(in: workspace.graph))
    }
    chosen = others.isEmpty ? mine : chosen.filter(Set(mine).union(others).contains)
    if shard.part != .seed, !options.withShared {
      settings.overrides.seedWork = SeedWork(
        seed: shard.seed, targets: Set(chosen.filter { partition.owner(of: $0) == .shared }))
    }
    // With shared needs, several shards may make the same.
    workspace.enter(
      shard, running: chosen, partition: options.withShared ? nil : partition.digest,
      selectionMark: ShardPartition.mark(names: selection.targets, tags: selection.tag))
    self.shard = ShardFacts(shard, partition: partition.digest)
  }

  /// What stands among `chosen` for a template whose list could not be read, or for a target that needs what a list does not
  /// have; and why.
  func failedLists(among chosen: [TargetID]) -> [(target: Target, cause: FailureCause)] {
    chosen.compactMap { id in
      guard case .unlisted(let cause) = manifest[id].source else { return nil }
      // A value that no run has made yet is no failure.
      if case .valueInvalid(let problem) = cause, problem.fault == .unknown { return nil }
      return (manifest[id], cause)
    }
  }

  /// Who of so many shards owns each of `selection`.
  func partition(_ selection: [TargetID], _ total: Int, by division: Shard.Division) throws -> ShardPartition
  {
    var project = self
    // What is wrong with it is told when it is read for what is selected.
    try project.readLock(.quiet, for: [])
    do throws(ShardPartition.Fault) {
      return try ShardPartition(
        selection, manifest, workspace.graph, lock: project.workspace.lock, total: total, by: division)
    } catch {
      throw Failure.manifest(
        "shards by size need the sizes in \(LockFile.fileName), which does not exist",
        "\(manifest.place.command("lock")) writes it; or divide by hash, as in 3/16", style, ci)
    }
  }
}

/// `plan --shards`: how the targets are divided. A class, as ``Planned`` is.
final class ShardTable {
  private var project: Project
  private let chosen: [TargetID]
  private let manner: LockManner

  /// Asks the lists only, which decide what there is to divide.
  init(_ options: ProjectOptions, _ selection: SelectionOptions, _ decisions: DecisionOptions) throws {
    project = try Project(options, decisions.user, remote: decisions.remoteCaching)
    let interruption = Interruption()
    do {
      try project.expand(
        values: decisions.valueOrder(.present, names: selection.targets, tags: selection.tag, project),
        settings: decisions.askingSettings(project), keeps: false, locked: { .compared($0) }, interruption)
    } catch let fault as RunFault {
      throw Failure.fault(fault, project, interruption)
    }
    let manifest = project.manifest
    // Which entries have left their lists depends on the state, and each shard has its own.
    chosen = try project.select(selection).filter { manifest[$0].gone == nil }
    manner = decisions.lockManner(orElse: .quiet)
  }

  func show(
    _ total: Int, by division: Shard.Division, printsJSON: Bool, _ temporary: TemporaryOptions
  ) throws {
    var project = project
    try project.readLock(manner, for: [])
    let (workspace, manifest) = (project.workspace, project.manifest)
    let partition = try project.partition(chosen, total, by: division)
    let rows = partition.rows(manifest, workspace.graph, lock: workspace.lock)
    if printsJSON {
      Console.out(ShardTableText.json(rows, of: partition, manifest: manifest))
    } else if project.verbosity != .silent {
      Console.out(ShardTableText.render(rows, style: project.outStyle))
    }
    try tellOfUnlisted(temporary)
  }

  /// What could not be read decides which targets there are: without it the division is another one.
  private func tellOfUnlisted(_ temporary: TemporaryOptions) throws {
    let failed = project.failedLists(among: chosen)
    guard !failed.isEmpty else { return }
    for (target, cause) in failed {
      let message = "\(target.name): \(FailureText.message(cause, secrets: project.secrets))"
      let hint = FailureText.hint(TargetFailure(cause), target: target, of: project.manifest)
      Console.err(MessageText.error(message, hint: hint, style: project.style, secrets: project.secrets))
    }
    throw Failure.failed(isTemporary: RunJudgement.isTemporary(failures: failed.map(\.cause)), temporary)
  }
}
