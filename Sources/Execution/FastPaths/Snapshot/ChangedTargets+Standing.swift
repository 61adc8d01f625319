import LocalFiles
import Planning
import StateStore
import SyncModel

extension ChangedTargets {
  /// The period in which all of them are fresh without a request, by the present manifest; `nil` if one is not, or
  /// in doubt.
  ///
  /// Everything else behind `image` is still true, and `state` is its folder. The targets have the same names as
  /// before. Each must also have the same output, which only a record with its name can prove: then no name and no
  /// output of the manifest has changed, and neither has anything that other targets depend on.
  func standingPeriod(
    _ image: SnapshotImage, in root: RootFolder, state: String, now: Timestamp
  ) -> TimeSpan? {
    let (targets, graph) = (manifest.targets, TargetGraph(manifest))
    guard variables.allSatisfy({ name in image.premises.environment.contains { $0.name == name } }),
      targets.allSatisfy({ graph.dependencies(of: $0.id).isEmpty }),
      targets.allSatisfy({ $0.localFiles.allSatisfy { Self.isNoOutput($0, image) } }),
      let records = RecordLookup.records(of: targets.map(\.path), in: state, image)
    else { return nil }
    let trees = TreeOutputs(root, statePath: state)
    var period = TimeSpan.always
    for (target, record) in zip(targets, records) {
      let question = FreshnessQuestion(
        target: target, definition: Definition.fields(of: target, in: manifest), record: record,
        output: trees.observe(target), now: now)
      guard let standing = Standing(FreshnessRules.verdict(question), question),
        image.signature(of: target.path) == standing.signature
      else { return nil }
      period = period.intersection(standing.period)
    }
    return period
  }

  /// Whether a file is surely no output of the manifest, and in none. Of one that is, only the whole manifest tells whether
  /// it is made before it is read.
  private static func isNoOutput(_ file: String, _ image: SnapshotImage) -> Bool {
    guard let path = try? RelativePath(file) else { return false }
    return ([path] + path.folders).allSatisfy { image.signature(of: $0) == nil }
  }
}
