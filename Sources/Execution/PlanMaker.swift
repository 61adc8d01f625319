import LocalFiles
import Planning
import SyncModel
import Transfer

/// Says what a run would do; asks the same questions, and writes nothing (contract, section 3).
package enum PlanMaker {
  /// Blocks until every selected target is planned, or `stop` asks to end: then `RunFault.interrupted`.
  package static func plan(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> Plan {
    try PlanSession(workspace, settings, report).perform(selection, stop).plan
  }

  /// Explains the verdict on `id`, which is planned together with what it depends on.
  package static func explain(
    _ id: TargetID, among selection: [TargetID], in workspace: Workspace, settings: RunSettings,
    stop: StopSignal, report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> Explanation {
    let (plan, decisions) = try PlanSession(workspace, settings, report).perform(selection, stop)
    guard let planned = plan.targets.first(where: { $0.id == id }) else {
      throw .unusable(.internalError("\(workspace.manifest[id].name) was not planned"))
    }
    let byLock = if case .fresh(.asLocked)? = decisions[id]?.verdict { true } else { false }
    let target = workspace.manifest[id]
    var explanation = Explanation(
      target: target, record: decisions[id]?.record,
      lines: Explanation.lines(decidedAt: decisions[id]?.line ?? 0, byLock: byLock), planned: planned)
    explanation.isPinned = workspace.pin(of: target) != nil
    return explanation
  }
}

/// One pass over the selected targets, dependencies first.
private final class PlanSession {
  private let workspace: Workspace
  private let settings: RunSettings
  private let context: RunContext
  private let driver: Driver
  private let sizes = SizeQuestions()
  private var active: [TargetID: TargetCheck] = [:]
  private var lines: [PlannedTarget?]
  private var decisions: [TargetID: Decision] = [:]

  init(_ workspace: Workspace, _ settings: RunSettings, _ report: @escaping (RunEvent) -> Void)
    throws(RunFault)
  {
    self.workspace = workspace
    self.settings = settings
    lines = Array(repeating: nil, count: workspace.manifest.targets.count)
    do throws(FailureCause) {
      driver = try Driver(settings: settings, manifest: workspace.manifest)
      context = RunContext(
        workspace: workspace, settings: settings, driver: driver,
        root: try RootFolder(path: workspace.rootPath),
        records: RecordIndex(try OpenState.read(workspace.statePath, report)), report: report)
    } catch {
      throw .unusable(error)
    }
  }

  func perform(_ selection: [TargetID], _ stop: StopSignal) throws(RunFault) -> (
    plan: Plan, decisions: [TargetID: Decision]
  ) {
    let mailbox = driver.mailbox
    stop.onStop { mailbox.postStop() }
    defer { stop.onStop(nil) }
    // A check that fails is a line of the plan; the others are planned all the same.
    var scheduler = Scheduler(
      graph: workspace.graph, selection: selection, jobs: settings.jobs, keepsGoing: true,
      lanes: HostLanes(workspace.manifest))
    var waiting = scheduler.start()
    var finished: [TargetID] = []
    driver.run(
      until: { [self] in
        for host in driver.loop?.takeStreamHosts() ?? [] {
          waiting += scheduler.handle(.hostTakes(host, requests: TransferLoop.streamLimit))
        }
        while !waiting.isEmpty || !finished.isEmpty {
          for case .begin(let id) in waiting { check(id) { finished.append(id) } }
          waiting = []
          if stop.isStopped { break }
          let ended = finished
          finished = []
          for id in ended { waiting += scheduler.handle(.finished(id, .succeeded)) }
        }
        return scheduler.isDone || driver.isStopped
      }, onStop: {})
    if driver.isStopped { throw .interrupted }
    driver.shutDown()
    for id in selection where sizes.isInVain(id) { lines[id.index]?.bytes = nil }
    return (Plan(targets: selection.compactMap { lines[$0.index] }), decisions)
  }

  private func check(_ id: TargetID, done: @escaping () -> Void) {
    let check = TargetCheck(id, in: context, sizes) { [self] planned, decision in
      active[id] = nil
      lines[id.index] = planned
      decisions[id] = decision
      if planned.action != .fresh { context.leaveUnsettled(id) }
      // What depends on others is not decided yet.
      if let reason = planned.reason, planned.action != .maybe { context.report(.decided(id, reason)) }
      done()
    }
    active[id] = check
    check.begin()
  }
}

/// What the checks of one plan know together of questions for sizes, which nothing but a size hangs on.
private final class SizeQuestions {
  /// Servers that could not be reached or did not answer. A size is not worth waiting for many more of those.
  private var silent: Set<Substring> = []
  private var asked: [TargetID: Substring] = [:]

  /// Whether `target` is to be asked about; notes that it is.
  func takes(_ target: Target) -> Bool {
    guard case .urls(let mirrors) = target.source, case .web(let url)? = mirrors.first else { return true }
    // The scheme, nothing, and host and port.
    let server = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first
    guard let server, !silent.contains(server) else { return false }
    asked[target.id] = server
    return true
  }

  func note(_ cause: FailureCause, of id: TargetID) {
    guard let server = asked[id] else { return }
    switch cause {
    case .connectFailed, .timeout, .stalled: silent.insert(server)
    default: break
    }
  }

  /// Of a server that was silent once no size is told: which ones it would be is a matter of order.
  func isInVain(_ id: TargetID) -> Bool { asked[id].map(silent.contains) ?? false }
}

/// Plans one target.
private final class TargetCheck: FetchReceiver {
  private let target: Target
  private let context: RunContext
  private let sizes: SizeQuestions
  private let done: (PlannedTarget, Decision?) -> Void
  private let assessment: Assessment
  private var fetch: FetchRun?
  private var bytes: Int64?
  private let lock: LockCheck?
  /// Set while the source is asked what the verdict does not need: whether it still has what is locked.
  private var settled: Decision?
  /// Set while ``settled`` waits for the size of what is to be fetched.
  private var isMeasuring = false
  /// Whether the source has answered whether it still has what is locked.
  private var knowsMoved = false

  init(
    _ id: TargetID, in context: RunContext, _ sizes: SizeQuestions,
    done: @escaping (PlannedTarget, Decision?) -> Void
  ) {
    target = context.manifest[id]
    self.context = context
    self.sizes = sizes
    self.done = done
    assessment = Assessment(Assessment.question(on: id, in: context), in: context)
    lock = LockCheck(assessment.question, context.settings)
  }

  func begin() {
    assessment.start { [self] conclusion in
      switch conclusion {
      case .decided(let decision): end(decision)
      case .mustAskSource(let validators, _): probe(validators)
      case .failed(let cause): fail(cause)
      }
    }
  }

  private func probe(_ validators: Validators?, rule: FreshnessRule? = nil) {
    guard case .urls(let mirrors) = target.source, let rule = rule ?? target.freshness else {
      return fail(.internalError("a target without URLs was probed"))
    }
    var order = FetchOrder(
      purpose: isMeasuring ? .size : .probe, mirrors: mirrors, retries: isMeasuring ? 0 : target.retries,
      conditions: validators.flatMap { $0.isEmpty ? nil : $0 },
      recordedSize: assessment.lastDecision?.record?.download?.size,
      // Once the verdict stands, only a size or whether a lock's version has moved is asked.
      rule: rule.innermost, maxSize: settled == nil ? target.maxSize : nil, secrets: context.manifest.secrets,
      seed: UInt64(truncatingIfNeeded: SystemClock.now().nanoseconds) &+ UInt64(target.id.index))
    order.usesServerDigests = target.serverDigest == .use
    order.recorded =
      isMeasuring ? nil : settled == nil ? assessment.lastDecision?.record?.download : lock?.download
    let fetch = FetchRun(order, for: target, in: context, receiver: self)
    self.fetch = fetch
    fetch.start()
  }

  private func end(_ decision: Decision) {
    if let question = lock?.question(after: decision) {
      settled = decision
      return probe(question, rule: .etag)
    }
    guard isWorthMeasuring(decision) else { return conclude(decision, movedTo: nil) }
    settled = decision
    isMeasuring = true
    probe(nil)
  }

  /// Whether one request more tells how much would be fetched, which nothing has told so far.
  private func isWorthMeasuring(_ decision: Decision) -> Bool {
    guard context.settings.asksHowLarge, !context.settings.isOffline, lock == nil, bytes == nil,
      assessment.question.facts.sourceAnswer == nil, case .stale = decision.verdict,
      case .urls = target.source,
      Planner.planned(target, in: context.workspace.graph, by: decision, bytes: nil).action == .update
    else { return false }
    return sizes.takes(target)
  }

  private func conclude(_ decision: Decision, movedTo observed: Validators?) {
    var planned = Planner.planned(target, in: context.workspace.graph, by: decision, bytes: bytes)
    lock?.complete(&planned, decision, assessment.question, movedTo: observed, bytes: bytes)
    planned.knowsMoved = knowsMoved
    guard planned.action == .fresh else { return finish(planned, decision) }
    FreshContent.find(target, decision, assessment.question, in: context) { [self] found in
      switch found {
      case .success(let content):
        context.settle(target.id, content: content)
        finish(planned, decision)
      case .failure(let cause): fail(cause)
      }
    }
  }

  private func fail(_ cause: FailureCause) {
    // Nobody need be asked for what is decided already.
    if let settled, isMeasuring || !context.settings.insistsOnWhatMoved {
      self.settled = nil
      if isMeasuring { sizes.note(cause, of: target.id) }
      return conclude(settled, movedTo: nil)
    }
    if cause == .offline, let decision = assessment.lastDecision { return end(decision) }
    finish(Planner.failed(target, in: context.workspace.graph, cause), assessment.lastDecision)
  }

  private func finish(_ planned: PlannedTarget, _ decision: Decision?) {
    assessment.release()
    var planned = planned
    planned.serverDigests = fetch?.heardDigests.ofFile ?? []
    done(planned, decision)
  }

  // MARK: FetchReceiver

  var fetchAcceptedBytes: Int64 { 0 }

  func fetchTakes(_ reply: FetchReply, continuing: Bool) {}

  func fetchReceived(_ bytes: UnsafeRawBufferPointer) -> BodyReception { .stop }

  func fetchBodyEnded() {}

  func fetchWantsSidecarsAnew() {}

  func fetchEnded(_ ending: FetchEnding) {
    if let settled, case .differs(let observed, let bytes) = ending {
      self.settled = nil
      knowsMoved = !isMeasuring
      self.bytes = bytes
      return conclude(settled, movedTo: isMeasuring ? nil : observed)
    }
    if let settled, case .confirmed = ending {
      self.settled = nil
      knowsMoved = true
      return conclude(settled, movedTo: nil)
    }
    switch ending {
    case .confirmed(_, let digest): assessment.answer(digest.map { .sameDigest($0) } ?? .confirmed)
    case .differs(let observed, let bytes):
      self.bytes = bytes
      assessment.answer(.changed(observed))
    case .failed(let cause, _): fail(cause)
    case .downloaded: fail(.internalError("a plan downloaded"))
    }
  }
}
