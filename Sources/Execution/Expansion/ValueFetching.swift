import LocalFiles
import Planning
import StateStore
import SyncModel

/// Reads what targets would fetch, without writing it: for the values in a plan.
enum ValueFetching {
  /// Blocks until every target's bytes have come, or cannot; throws `RunFault.interrupted` after `stop`.
  static func fetch(
    _ targets: [Target], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> [TargetID: Result<[UInt8], FailureCause>] {
    guard !targets.isEmpty else { return [:] }
    return try ValueFetchSession(targets, workspace, settings, report).perform(stop)
  }
}

private final class ValueFetchSession {
  private let driver: Driver
  private let context: RunContext
  private var fetches: [DocumentFetch] = []
  private var answers: [TargetID: Result<[UInt8], FailureCause>] = [:]

  init(
    _ targets: [Target], _ workspace: Workspace, _ settings: RunSettings,
    _ report: @escaping (RunEvent) -> Void
  ) throws(RunFault) {
    do throws(FailureCause) {
      driver = try Driver(settings: settings, manifest: workspace.manifest)
      context = RunContext(
        .plan, workspace: workspace, settings: settings, driver: driver,
        root: try workspace.openRoot(),
        records: RecordIndex(StateSnapshot()),
        report: report)
    } catch {
      throw .unusable(error)
    }
    var asked: Set<TargetID> = []
    for target in targets where asked.insert(target.id).inserted {
      guard let urls = target.source.mirrors else { continue }
      let order = DocumentFetch.Order(
        urls: Array(urls), asker: target, recorded: nil, limit: ValueRule.longestOutput,
        tooLarge: .tooLarge(limit: Int64(ValueRule.longestOutput), size: Int64(ValueRule.longestOutput) + 1))
      fetches.append(
        DocumentFetch(order, in: context) { [unowned self] _, text in
          answers[target.id] = text.map(\.bytes)
        })
    }
  }

  func perform(_ stop: StopSignal) throws(RunFault) -> [TargetID: Result<[UInt8], FailureCause>] {
    let mailbox = driver.mailbox
    stop.onStop { mailbox.postStop() }
    defer {
      stop.onStop(nil)
      driver.shutDown()
    }
    for fetch in fetches { fetch.start() }
    driver.run(until: { answers.count == fetches.count || driver.isStopped }, onStop: {})
    if driver.isStopped {
      for fetch in fetches { fetch.cancel() }
      throw .interrupted
    }
    return answers
  }
}
