import LocalFiles
package import Planning
package import SyncModel
import Transfer

/// Says what a run would do; asks the same questions, and writes nothing (contract, section 3).
package enum PlanMaker {
  /// Blocks until every selected target is planned, or `stop` asks to end: then `RunFault.interrupted`.
  package static func plan(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> Plan {
    var looks = 0
    while true {
      looks += 1
      let session = try PlanSession(workspace, settings, report)
      let plan = try session.perform(selection, stop)
      guard looks < RootLease.mostLooks, session.isOutdated(plan) else { return plan }
    }
  }

  /// Explains the verdict on `id`, which is planned together with its dependencies.
  package static func explain(
    _ id: TargetID, among selection: [TargetID], in workspace: Workspace, settings: RunSettings,
    stop: StopSignal, report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> Explanation {
    var session = try PlanSession(workspace, settings, explaining: id, report)
    var plan = try session.perform(selection, stop)
    for _ in 1..<RootLease.mostLooks where session.isOutdated(plan) {
      session = try PlanSession(workspace, settings, explaining: id, report)
      plan = try session.perform(selection, stop)
    }
    guard let planned = plan.targets.first(where: { $0.id == id }) else {
      throw .unusable(.internalError("\(workspace.manifest[id].name) was not planned"))
    }
    let byLock = if case .fresh(.asLocked)? = session.decision?.verdict { true } else { false }
    // Also where files of a folder that is else as locked are edited and stay.
    let line = planned.reason == .fresh(.keptModified) ? .edits : session.decision?.line
    let target = workspace.manifest[id]
    var explanation = Explanation(
      target: target, record: session.decision?.record,
      lines: Explanation.lines(decidedAt: line, byLock: byLock), planned: planned)
    explanation.list = workspace.manifest.listing(of: target)
    if case .web(let url)? = target.source.mirrors?.first {
      explanation.mirror = settings.routes.rewrites.applied(to: url).map { ResourceURL.text(of: $0.url) }
    }
    explanation.values = workspace.manifest.values.filter { $0.users.contains(id) }
    explanation.isPinned = workspace.pin(of: target) != nil
    if let unit = workspace.graph.units.unit(of: id) {
      let fellows = workspace.graph.units.members(of: unit).filter { $0 != id }
      explanation.fellows = fellows.map { workspace.manifest[$0].name }
    }
    return explanation
  }
}

/// One pass over the selected targets, dependencies first.
private final class PlanSession {
  private let workspace: Workspace
  private let settings: RunSettings
  private let context: RunContext
  private let lease: RootLease
  private let sizes = SizeQuestions()
  private var active: [TargetID: TargetDriver] = [:]
  private var finished: [TargetID] = []
  private var lines: [PlannedTarget?]
  /// The target whose ``decision`` is wanted. Those of all others would take as much memory as the plan.
  private let explained: TargetID?
  private(set) var decision: Decision?
  private var driver: Driver { context.driver }

  init(
    _ workspace: Workspace, _ settings: RunSettings, explaining explained: TargetID? = nil,
    _ report: @escaping (RunEvent) -> Void
  ) throws(RunFault) {
    self.workspace = workspace
    self.explained = explained
    self.settings = settings
    lines = Array(repeating: nil, count: workspace.manifest.targets.count)
    do throws(FailureCause) {
      let driver = try Driver(settings: settings, manifest: workspace.manifest)
      lease = try RootLease.look(at: workspace, report: report)
      context = RunContext(
        .plan, workspace: workspace, settings: settings, driver: driver,
        root: lease.root, records: lease.records,
        state: RunState(
          trees: lease.trees,
          caches: RunCaches(
            settings, before: nil, at: workspace.place,
            .init(
              driver: driver, secrets: workspace.manifest.secrets, hosts: workspace.manifest.hosts,
              report: report))),
        report: report)
    } catch {
      throw .unusable(error)
    }
  }

  /// Whether something looks edited in `plan` that a run has changed meanwhile.
  func isOutdated(_ plan: Plan) -> Bool {
    lease.isOutdated(of: plan.targets.filter(\.isEdited).map(\.output.path), in: workspace)
  }

  func perform(_ selection: [TargetID], _ stop: StopSignal) throws(RunFault) -> Plan {
    let mailbox = driver.mailbox
    stop.onStop { mailbox.postStop() }
    defer { stop.onStop(nil) }
    // A failed check is a line of the plan; the other targets are still planned.
    var scheduler = Scheduler(
      graph: workspace.graph, selection: selection, jobs: settings.resources.jobs, keepsGoing: true,
      lanes: HostLanes(workspace.manifest))
    var waiting = scheduler.start()
    driver.run(
      until: { [self] in
        for host in driver.network?.takeStreamHosts() ?? [] {
          waiting += scheduler.handle(.hostTakes(host, requests: TransferLoop.streamLimit))
        }
        while !waiting.isEmpty || !finished.isEmpty {
          for case .begin(let id) in waiting { check(id) }
          let units = waiting.compactMap { if case .publish(let unit) = $0 { unit } else { nil } }
          waiting = units.flatMap { scheduler.handle(.published(unit: $0, failed: nil)) }
          if !units.isEmpty { continue }
          if stop.isStopped { break }
          let ended = finished
          finished = []
          for id in ended { waiting += scheduler.handle(.finished(id, .succeeded)) }
        }
        return scheduler.isDone || driver.isStopped
      }, onStop: {})
    if driver.isStopped {
      // As a run does, it waits for no worker.
      driver.tokens?.close()
      throw .interrupted
    }
    driver.shutDown()
    for id in selection {
      guard let cause = sizes.silence(about: id), let line = lines[id.index] else { continue }
      lines[id.index]?.bytes = workspace.manifest.targets[id.index].source.listedSize
      lines[id.index]?.unmeasured = line.unmeasured ?? cause
    }
    forecastTrees(selection, stop)
    if stop.isStopped { throw .interrupted }
    return Plan(targets: selection.compactMap { lines[$0.index] }).withoutVainRemovals
  }

  private func forecastTrees(_ selection: [TargetID], _ stop: StopSignal) {
    let forecaster = TreeForecaster(
      context: context, isStopped: { stop.isStopped }, readsArchives: settings.questions.asksHowLarge)
    for id in selection where !stop.isStopped {
      guard let planned = lines[id.index] else { continue }
      do throws(FailureCause) {
        // The forecast reads the lines: it must end before one is changed.
        let tree = try forecaster.forecast(planned) { lines[$0.index]?.action == .fresh }
        lines[id.index]?.tree = tree
      } catch {
        lines[id.index] = Planner.failed(workspace.manifest[id], in: workspace.graph, error)
      }
    }
  }

  private func check(_ id: TargetID) {
    if let line = knownLine(of: id) { return take(line) }
    var question = context.question(on: id)
    if question.pin != nil, case .entry(let list, _)? = question.target.digestRule?.expected {
      question.hasUnmovedList = lines[list.index].map { $0.lock == .pinned && $0.knowsMoved } ?? false
    }
    let target = TargetDriver(
      question, began: context.clock.monotonic(), in: context, owner: self)
    active[id] = target
    target.begin()
  }
}

extension PlanSession {
  /// The line of a target that was planned before, or that waits for a value which only a run can tell.
  private func knownLine(of id: TargetID) -> PlannedTarget? {
    let target = workspace.manifest[id]
    if !settings.earlier.planned.isEmpty, id != explained, var line = settings.earlier.planned[target.name] {
      line.id = id
      return line
    }
    guard case .unlisted(.valueInvalid(let problem)) = target.source, problem.fault == .unknown else {
      return nil
    }
    // Those that stay as they are decide nothing.
    let names = workspace.graph.dependencies(of: id).filter { edge in
      edge.kind != .after && lines[edge.from.index]?.action != .fresh
    }.map { workspace.graph.name(of: $0.from) }
    let waitsFor = names.isEmpty ? [problem.target] : names
    return Planner.planned(
      target, in: workspace.graph, by: Decision(.dependsOn(waitsFor), line: .dependencies, record: nil))
  }

  private func take(_ line: PlannedTarget) {
    lines[line.id.index] = line
    if line.action == .fresh {
      context.settle(line.id, content: context.records.record(for: workspace.manifest[line.id])?.content)
    } else {
      context.leaveUnsettled(line.id)
    }
    finished.append(line.id)
  }
}

extension PlanSession: TargetOwner {
  func targetCloses(_ id: TargetID) {}

  func targetEnded(_ driver: TargetDriver, _ result: TargetResult) {}

  func targetPlanned(_ driver: TargetDriver, _ planned: PlannedTarget, _ decision: Decision?) {
    let id = planned.id
    active[id] = nil
    lines[id.index] = planned
    if lacksNetwork(planned) { lines[id.index]?.unmeasured = .offline }
    if id == explained { self.decision = decision }
    if planned.action != .fresh { context.leaveUnsettled(id) }
    finished.append(id)
  }

  /// Whether nothing but a request gives its bytes, and none may be sent.
  private func lacksNetwork(_ planned: PlannedTarget) -> Bool {
    guard settings.questions.isOffline, planned.action == .update, planned.from?.isCache != true,
      !planned.mayTakeCached, let mirrors = context.target(planned.id).source.mirrors
    else { return false }
    return mirrors.allSatisfy { if case .web = $0 { true } else { false } }
  }

  func mayMeasure(_ target: Target) -> Bool { sizes.takes(target) }

  func couldNotMeasure(_ target: Target, _ cause: FailureCause) { sizes.note(cause, of: target.id) }
}

/// The shared facts of one plan's questions for sizes; nothing but a size depends on these.
private final class SizeQuestions {
  /// Servers that did not answer, and how that shows. A size is not worth waiting for many more of them.
  private var silent: [Substring: FailureCause] = [:]
  /// The servers of those whose sizes are wanted.
  private var wanted: [TargetID: Substring] = [:]

  /// Whether to ask for the size of `target`; counts the question.
  func takes(_ target: Target) -> Bool {
    guard case .web(let url)? = target.source.mirrors?.first else { return true }
    let server = WebURL.server(of: url)
    wanted[target.id] = server
    return silent[server] == nil
  }

  func note(_ cause: FailureCause, of id: TargetID) {
    guard let server = wanted[id] else { return }
    if cause.traits.contains(.silent) { silent[server] = cause }
  }

  /// Why no size is known, if the server was silent about any: otherwise the result would depend on the order.
  func silence(about id: TargetID) -> FailureCause? { wanted[id].flatMap { silent[$0] } }
}

extension PlannedTarget {
  /// Whether it fails since its output was edited.
  fileprivate var isEdited: Bool {
    switch failure {
    case .outputModified, .filesModified: true
    default: false
    }
  }
}
