import LocalFiles
import Planning
import StateStore
import SyncModel

extension ChangedTargets {
  /// When all of them are fresh by what is here alone, as they are in the manifest now; `nil` where one of them is not,
  /// or where there may be more to it.
  ///
  /// All else that `image` rests on holds, and `state` is the folder that it came from. They have the names that they
  /// had. Each is to have the output that it had, too, which no record of another name can vouch for: then no name and
  /// no output of the manifest has changed, nor can what others see of these targets have.
  func standingPeriod(
    _ image: SnapshotImage, in root: RootFolder, state: String, now: Timestamp
  ) -> TimeSpan? {
    let (targets, graph) = (manifest.targets, TargetGraph(manifest))
    guard variables.allSatisfy({ name in image.premises.environment.contains { $0.name == name } }),
      targets.allSatisfy({ graph.dependencies(of: $0.id).isEmpty }),
      let records = RecordLookup.records(of: targets.map(\.output), in: state, image)
    else { return nil }
    var period = TimeSpan.always
    for (target, record) in zip(targets, records) {
      let question = FreshnessQuestion(
        target: target, definition: Definition.fields(of: target, in: manifest), record: record,
        output: root.observe(target.output), now: now)
      guard let standing = Standing(FreshnessRules.verdict(question), question),
        image.signature(of: target.output) == standing.signature
      else { return nil }
      period = period.intersection(standing.period)
    }
    return period
  }
}
