import LocalFiles
import Planning
import SyncModel

/// How an update uses what an earlier one has withheld (contract, section 8).
extension TargetRun {
  /// Uses what is withheld for the target, if it can be used: whether that was done, or begun by asking the source.
  ///
  /// `conditions` are those that the source would be asked with otherwise.
  func usesWithheld(conditions: Validators?) -> Bool {
    guard let earlier = context.withheld?.earlier(for: target.output),
      // What is in place already need not be put there.
      decision?.record?.content.sha256 != earlier.content.sha256
    else { return false }
    var question = assessment.question
    question.dependencies = context.workspace.graph.dependencies(of: target.id).compactMap(state)
    switch WithheldRule.use(earlier, for: question) {
    case .drop: return false
    case .take:
      takeWithheld(earlier, observed: nil)
      return true
    case .ask(let validators):
      askForWithheld(earlier, validators, otherwise: conditions)
      return true
    }
  }

  private func state(of edge: TargetGraph.Edge) -> DependencyState? {
    guard edge.kind != .after else { return nil }
    let content = context.content(at: edge) ?? line(of: edge).map { .settled($0) }
    return DependencyState(
      kind: edge.kind, name: context.manifest[edge.from].name, entry: edge.entry,
      // A list that cannot be read says nothing that could be trusted.
      content: content ?? .takenAsChanged)
  }

  /// The withheld file becomes the output at the end of the update; `observed` is what the source said of it.
  func takeWithheld(_ earlier: TargetRecord, observed: Validators?) {
    guard let withheld = context.withheld else { return }
    let now = SystemClock.now()
    var record = earlier
    record.name = target.name
    if observed != nil { record.checkedAt = now }
    record.updatedAt = now
    if let date = observed?.lastModified { record.validators?.lastModified = date }
    withheld.add(
      WithheldOutput(record: record, keepsTime: withheld.keepsTime(target.output)),
      over: assessment.question.output, overDigest: knownDigest)
    endWithheld(
      record.content,
      pin: assessment.question.pin
        ?? LockRenewal.pin(
          target, in: context.manifest, download: record.download, output: record.content,
          validators: record.validators))
  }

  /// The digest of what stands in the output's place, as far as somebody had to know it.
  var knownDigest: HexDigest? {
    guard assessment.question.output != .missing else { return nil }
    return assessment.question.facts.outputDigests?[.sha256] ?? decision?.record?.content.sha256
  }

  /// Notes that an output that stays is to get another time; whether that waits for the end of an update.
  func defersTime(_ time: Timestamp?, _ record: TargetRecord) -> Bool {
    guard let withheld = context.withheld else { return false }
    if let time, time != record.signature.modified { withheld.add(.init(record: record, time: time)) }
    return true
  }
}
