import ContentPipeline
import LocalFiles
import Planning
import SyncModel

/// Finds out what a run would do to the files of folders, without fetching anything.
struct TreeForecaster {
  let context: RunContext
  let isStopped: () -> Bool
  /// Whether archives that are here are read, which may take as long as unpacking them.
  let readsArchives: Bool

  /// `nil` for a file, and for a folder that stays as it is. `isFresh` tells of a target whether it stays. Throws what the
  /// run would fail with, if the archive is here.
  func forecast(_ planned: PlannedTarget, isFresh: (TargetID) -> Bool) throws(FailureCause) -> TreeForecast? {
    let target = context.manifest[planned.id]
    guard target.output.isFolder, planned.action == .update || planned.action == .maybe,
      let trees = context.state.trees,
      let order = target.treeOrder(context.settings)
    else { return nil }
    let isKnown = readsArchives && planned.action == .update
    let archive = isKnown ? self.archive(of: target, in: trees.root, isFresh) : nil
    let treeOrder = StagedTree.Order(
      output: target.path, key: TreeOutputs.key(of: target.path), rules: order.rules,
      old: trees.listing(of: target.path, keepingEdits: order.keepsEdits), edits: order.edits,
      places: order.places)
    var entries: TreeEntries?
    func digest(_ file: ReadableFile) throws(FailureCause) -> HexDigest {
      try TreeOutputs.sha256(file, isInVain: isStopped)
    }
    if let archive {
      entries = try read(archive, for: target)
      if let entries, decidesAlone(target),
        let cause = trees.notedEdits(in: target.path, unlike: entries)
          ?? trees.root.objection(to: treeOrder, for: entries, digest: digest)
      {
        throw cause
      }
    }
    var forecast = trees.root.outlook(treeOrder, for: entries, digest: digest)
    forecast?.archiveSize = archive?.signature.size
    return forecast
  }

  /// The file with the archive, if the next run would use just these bytes.
  private func archive(
    of target: Target, in root: RootFolder, _ isFresh: (TargetID) -> Bool
  ) -> ReadableFile? {
    switch target.source {
    case .target(let id): isFresh(id) ? try? root.open(context.manifest[id].path) : nil
    case .urls, .entry, .unlisted, .gone:
      if case .file(let path, _)? = target.source.mirrors?.first { try? root.openSource(path) } else { nil }
    }
  }

  /// Whether a run unpacks these bytes or fails: it has no other mirror, and no earlier step makes others of them.
  private func decidesAlone(_ target: Target) -> Bool {
    target.source.mirrors?.count ?? 1 == 1 && target.steps.count(where: \.transforms) == 1
  }

  /// `nil` if it could not be read to its end.
  private func read(_ archive: ReadableFile, for target: Target) throws(FailureCause) -> TreeEntries? {
    for case .unpack(let rules) in target.steps {
      do throws(FailureCause) {
        return try ArchiveContents.entries(
          of: archive, rules, name: context.manifest.sourceName(of: target), maxSize: target.maxSize,
          isCancelled: isStopped)
      } catch {
        guard decidesAlone(target), error.traits.contains(.refusedByStep) else { return nil }
        throw error
      }
    }
    return nil
  }
}
