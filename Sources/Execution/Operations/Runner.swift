import ContentPipeline
import LocalFiles
import Planning
import Platform
import StateStore
package import SyncModel
import Transfer

/// Brings the selected targets up to date.
package enum Runner {
  /// Blocks until everything selected has ended; `report` is called on this thread.
  ///
  /// - `early`: what ``QuickCheck`` has asked already.
  package static func run(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    early: EarlyAnswers? = nil, report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> RunOutcome {
    let clock = MachineClock()
    let began = clock.monotonic()
    let session = try RunSession(
      workspace, selection, settings, stop, early: early, clock: clock, report)
    report(.started(targets: selection.count))
    let (results, isInterrupted) = session.perform(selection)
    let removed = session.removeGone(
      selection, hasSucceeded: !isInterrupted && results.allSatisfy(\.hasSucceeded))
    session.close()
    let ended = session.results(of: selection)
    var outcome = RunOutcome(
      results: ended, status: RunJudgement.status(results: ended, interrupted: isInterrupted),
      duration: clock.monotonic() - began)
    outcome.removed = removed
    outcome.cache = session.cacheAccount
    outcome.confirmed = workspace.open?.confirmed ?? 0
    return outcome
  }
}

/// One run: its root, the targets in progress, and their results.
final class RunSession {
  let place: RunPlace
  private let context: RunContext
  private let committer: Committer
  private let stop: StopSignal
  private var active = ActiveTargets()
  /// Events that the scheduler has not heard yet.
  private var events: [Scheduler.Event] = []
  /// `nil` if no target of this run may take it.
  private lazy var plainWay = PlainWay(
    context,
    closing: { [unowned self] in close($0) },
    done: { [unowned self] in ended($0) },
    handOver: { [unowned self] in goOn($0, $1) })
  private var results: RunResults
  /// `nil` while the committer is at work.
  private var account: Committer.Account?
  private var snapshot: SnapshotMaker?

  private var workspace: Workspace { context.workspace }
  private var settings: RunSettings { context.settings }
  private var driver: Driver { context.driver }

  /// Opens and holds the root of `workspace`, to run `selection`.
  convenience init(
    _ workspace: Workspace, _ selection: [TargetID], _ settings: RunSettings, _ stop: StopSignal,
    early: EarlyAnswers? = nil, clock: any RunClock = MachineClock(), _ report: @escaping (RunEvent) -> Void
  ) throws(RunFault) {
    let driver: Driver
    do throws(FailureCause) {
      driver = try Driver(settings: settings, manifest: workspace.manifest, early: early, clock: clock)
    } catch {
      throw .unusable(error)
    }
    var snapshot: SnapshotMaker?
    let lease = try RootLease.hold(
      workspace, settings, stop: stop, seesLock: true, clock: clock
    ) { event in
      // Meanwhile the other run may change these targets, and nothing watches the connections.
      if case .waitingForLock = event { early?.replies.drop() }
      report(event)
    } prepared: { (root, folder) throws(RunFault) in
      folder.clearStaging(root: root)
      SnapshotFile.clearUnfinished(in: workspace.place.state)
      snapshot = SnapshotMaker(workspace, routes: settings.routes)
      if let open = workspace.open, !open.isStateUnchanged(in: workspace.place.state) { throw .stateChanged }
    }
    if lease.isHeld {
      // A run that was killed may have named these a moment ago; a run that finds them in place records them.
      if !lease.snapshot.pending.isEmpty {
        try? lease.root.syncFolders(of: lease.snapshot.pending.map(\.output))
      }
      CheckLog.forget(after: clock.now(), in: workspace.place.state)
    }
    var scope = Self.withholding(settings, selection, workspace.graph.units)
    // Something may have to be dropped.
    if scope == .nothing, !lease.snapshot.withheld.isEmpty { scope = .units }
    let withheld =
      scope == .nothing
      ? nil
      : lease.folder.map {
        WithheldShelf($0, for: lease.root, earlier: lease.snapshot.withheld, scope: scope)
      }
    if lease.store != nil { withheld?.removeUnrecorded() }
    let publishing = withheld.flatMap { _ in
      lease.folder.map {
        WithheldPublication(lease.root, $0, workspace.manifest, settings)
      }
    }
    self.init(
      in: RunPlace(lease, withheld, publishing: publishing), workspace, settings, stop, driver: driver,
      snapshot: snapshot, report)
  }

  /// Which new outputs wait before they are put in place.
  private static func withholding(
    _ settings: RunSettings, _ selection: [TargetID], _ units: PublishedTogether
  ) -> TargetTerms.Withholding {
    if settings.course.withholds { return .everything }
    guard !units.isEmpty else { return .nothing }
    return selection.contains { units.unit(of: $0) != nil } ? .units : .nothing
  }

  /// Runs in a place that is held.
  ///
  /// - snapshot: makes the compiled snapshot; `nil` if there is to be none.
  /// - committing: the thread that publishes and records.
  init(
    in place: RunPlace, _ workspace: Workspace, _ settings: RunSettings, _ stop: StopSignal, driver: Driver,
    snapshot: SnapshotMaker? = nil, committing: any JobRunner = WorkerPool(threads: 1),
    _ report: @escaping (RunEvent) -> Void
  ) {
    self.stop = stop
    self.place = place
    self.snapshot = snapshot
    results = RunResults(of: workspace.manifest, since: place.snapshot, settings.earlier, report: report)
    let withheld = place.withheld
    committer = Committer(
      store: place.store, fault: place.storeFault, root: place.outputs, bodies: place.bodies,
      mailbox: driver.mailbox, clock: driver.clock, thread: committing)
    for output in workspace.lacksTargets ? [] : withheld?.dropUnusable(in: workspace) ?? [] {
      committer.remember(.unwithhold(output: output))
    }
    context = RunContext(
      .run, workspace: workspace, settings: settings, driver: driver, root: place.outputs,
      records: place.lease?.records ?? RecordIndex(place.snapshot),
      state: RunState(
        committer: committer, bodies: place.bodies, trees: place.trees, withheld: withheld,
        caches: RunCaches(
          settings, before: settings.earlier.cache, at: workspace.place,
          .init(
            driver: driver, secrets: workspace.manifest.secrets, hosts: workspace.manifest.hosts,
            report: report)),
        fault: place.fault),
      report: report)
    guard place.bodies != nil else { return }
    if !workspace.lacksTargets { context.state.removeForeignPartials(workspace.manifest, by: driver.clock) }
    for record in context.records.notedForOthers(than: workspace.manifest) {
      committer.remember(.commit(record))
    }
  }

  func perform(_ selection: [TargetID]) -> ([TargetResult], isInterrupted: Bool) {
    let mailbox = driver.mailbox
    stop.onStop { mailbox.postStop() }
    stop.onAbandon { [tokens = driver.tokens] in tokens?.close() }
    defer { stop.onStop(nil) }
    var scheduler = Scheduler(
      graph: workspace.graph, selection: selection, jobs: settings.resources.jobs,
      mostClosing: settings.resources.mostClosing,
      keepsGoing: settings.course.keepsGoing,
      optional: selection.filter { workspace.manifest[$0].stopsNothing(inUpdate: settings.course.withholds) },
      doomed: doomed(of: selection),
      independent: settings.overrides.assumedOld,
      lanes: HostLanes(workspace.manifest))
    var actions = scheduler.start()
    let pump = { [self] in
      while !actions.isEmpty || !events.isEmpty {
        for action in actions { perform(action) }
        actions = []
        // A target that begins now would begin in vain.
        if stop.isStopped, !driver.isStopped { return }
        let reported = events
        events = []
        for event in reported { actions += scheduler.handle(event) }
      }
    }
    if settings.reports.hasProgress { tick() }
    driver.expectEndOfTime { [weak self] in self?.active.fail($0) }
    driver.run(
      until: {
        for host in driver.network?.takeStreamHosts() ?? [] {
          events.append(.hostTakes(host, requests: TransferLoop.streamLimit))
        }
        pump()
        gatherFiles()
        return scheduler.isDone
      },
      onStop: { [self] in
        actions += scheduler.handle(.interrupted)
        active.interrupt()
        context.texts.sidecars.cancelAll()
      })
    return (results.of(selection), driver.isStopped)
  }

  /// Those that stand for targets of a list or a value that cannot be used. What was updated for a value has a result.
  private func doomed(of selection: [TargetID]) -> [TargetID] {
    guard workspace.manifest.isExpandable, settings.earlier.ended.isEmpty else { return [] }
    return selection.filter { id in
      guard case .unlisted = workspace.manifest[id].source else { return false }
      return !workspace.manifest[id].standsForSuspectList
    }
  }

  private func perform(_ action: Scheduler.Action) {
    switch action {
    case .begin(let id): begin(id)
    case .skip(let id, let reason):
      if let result = earlierResult(of: id) { return end(result) }
      let target = workspace.manifest[id]
      var result = TargetResult(id: id, name: target.name, outcome: .skipped, output: target.output)
      result.skipped = reason
      result.isOptional = target.isOptional
      end(result)
    case .publish(let unit): publish(unit)
    case .drop(let unit, let reason): drop(unit, reason)
    }
  }

  private func begin(_ id: TargetID) {
    if let result = earlierResult(of: id) { return finish(result) }
    let began = context.clock.monotonic()
    let reached = settings.policy?.network.reached
    if reached == nil, let plain = plainWay?.begin(id, at: began) { return active.add(plain, id) }
    let target = TargetDriver(context.question(on: id), began: began, in: context, owner: self)
    active.add(target, id)
    if let reached { target.tell(.failed(.budgetExceeded(reached))) } else { target.begin() }
  }

  private func earlierResult(of id: TargetID) -> TargetResult? {
    let result = context.earlierResult(of: id)
    if let result { snapshot?.add(ended: result) }
    return result
  }

  /// The full path for a target that the fast path cannot finish.
  private func goOn(_ id: TargetID, _ adopted: AdoptedExchange) -> SourceExchange {
    var question = context.question(on: id)
    // A later change there does not affect the question; the publication detects it.
    question.output = .missing
    let target = TargetDriver(question, began: adopted.began, in: context, owner: self)
    active.add(target, id)
    target.begin(with: adopted)
    return target.exchange
  }

  /// Only disk I/O remains for the target.
  private func close(_ id: TargetID) {
    active.close(id)
    events.append(.closing(id))
  }

  private func ended(_ result: TargetResult, _ outlook: Outlook? = nil) {
    active.remove(result.id)
    snapshot?.add(result, outlook)
    finish(result)
  }

  private func finish(_ result: TargetResult) {
    end(result)
    events.append(
      .finished(result.id, result.outcome == .updated || result.outcome == .fresh ? .succeeded : .failed))
  }

  /// Lets finished files wait for those that come soon, and no longer.
  private func gatherFiles() {
    let time = committer.expectCompany(!driver.isStopped && active.areAtWork)
    guard let time, !active.isWaitingForCompany else { return }
    active.isWaitingForCompany = true
    driver.after(time) { [weak self] in self?.active.isWaitingForCompany = false }
  }

  private func tick() {
    context.report(.tick)
    driver.after(.milliseconds(100)) { [weak self] in self?.tick() }
  }

  private func end(_ result: TargetResult) {
    let target = context.target(result.id)
    if result.outcome == .fresh, result.reason != .fresh(.assumedFresh) {
      context.state.removeOldPartial(of: target, by: context.clock)
    }
    // A withheld output is reported once it is known whether it is published.
    results.add(
      result, isWithheld: context.state.withheld?.holds(result.output.path) == true,
      isLeaving: context.isLeaving(result.id))
  }

  /// Whether new outputs are put in place by ``publish(lock:)``.
  var withholds: Bool { context.state.withheld?.scope == .everything }

  /// Opens an output, also one that is withheld; `nil` if it cannot be read.
  func openNew(_ output: RelativePath) -> ReadableFile? {
    guard let lease = place.lease else { return nil }
    guard context.state.withheld?.holds(output) == true, let folder = lease.folder else {
      return try? lease.root.open(output)
    }
    return try? folder.readWithheld(WithheldShelf.key(of: output), of: output)
  }

  /// What became of `selection`.
  func results(of selection: [TargetID]) -> [TargetResult] { results.of(selection) }

  /// Puts the text of a lock in place of the present one, unless it is there.
  func write(lock text: String) throws(FailureCause) {
    guard let lease = place.lease else { throw place.fault }
    guard !LockWriter.isThere(text, workspace.lockSeen, lease.root) else { return }
    guard let folder = lease.folder else { throw lease.fault }
    try LockWriter.write(text, over: workspace.lockSeen, digest: workspace.lockDigest, folder, lease.root)
  }

  /// Ends an update: publishes everything that is withheld, with the lock's `text`, or with `nil` nothing, and
  /// reports it.
  ///
  /// Returns whether everything is in place, and the failure if no target is to blame; both if only the last sync
  /// failed.
  func publish(lock text: String?) -> (isPublished: Bool, failure: FailureCause?) {
    guard withholds, let withheld = context.state.withheld else { return (false, nil) }
    var fault: WithheldPublication.Fault?
    if let text {
      // What earlier updates have withheld for these targets is no version that a later one could want.
      for output in withheld.dropUnused(results.succeeded) { committer.remember(.unwithhold(output: output)) }
      do throws(WithheldPublication.Fault) { try publish(withheld, lock: text) } catch { fault = error }
    }
    let isPublished = text != nil && fault?.isInPlace ?? true
    if isPublished { tellPlaced(withheld.all, workspace.manifest.targets.map(\.id)) }
    results.tellWithheld(isPublished: isPublished, fault)
    return (isPublished, fault?.output == nil ? fault?.cause : nil)
  }

  private func publish(_ withheld: WithheldShelf, lock text: String) throws(WithheldPublication.Fault) {
    guard let lease = place.lease else { throw .init(cause: place.fault) }
    let account = endCommitting()
    // A new, empty state is no obstacle: the decision has everything that is needed to conclude it.
    guard let store = lease.store, let folder = lease.folder, !account.hasLostRecords else {
      throw .init(cause: account.fault?.asCause ?? lease.fault)
    }
    // A decided publication is completed, even after a signal.
    stop.onStop {}
    defer { stop.onStop(nil) }
    let publication = WithheldPublication(
      lease.root, folder, workspace.manifest, settings)
    try publication.perform(
      withheld.all, lock: WithheldPublication.NewLock(text, replacing: workspace), in: store)
  }

  /// Removes the recorded, unedited outputs of entries that have left their lists, if everything else `hasSucceeded`
  /// (contract, section 11); returns them.
  func removeGone(_ selection: [TargetID], hasSucceeded: Bool) -> [Output] {
    let leaving = selection.filter(context.isLeaving)
    guard !leaving.isEmpty else { return [] }
    guard hasSucceeded, let lease = place.lease, lease.store != nil, !endCommitting().hasLostRecords else {
      results.tellWaiting(leaving, selection)
      return []
    }
    // Removals are completed with their records, even after a signal.
    stop.onStop {}
    defer { stop.onStop(nil) }
    let targets = leaving.map { workspace.manifest[$0] }
    let fates = GoneRemoval(lease: lease, records: context.records, stop: stop).perform(targets)
    for (target, fate) in zip(targets, fates) { results.tell([target.id]) { $0.leave(fate) } }
    return zip(targets, fates).filter { $1 == .removed }.map(\.0.output)
  }

  /// What the targets have had from the cache; `nil` without one.
  var cacheAccount: CacheAccount? { context.state.caches?.account }

  /// Ends the committer's work once; everything is on disk when this returns.
  private func endCommitting() -> Committer.Account {
    if let account { return account }
    let ended = committer.finish()
    account = ended
    return ended
  }

  /// Everything is on disk when this returns.
  func close() {
    // The recording in progress is completed, even after a signal.
    stop.onStop {}
    defer { stop.onStop(nil) }
    let account = endCommitting()
    context.state.caches?.close(by: context.clock, stop)
    // After a signal the run does not wait for a worker that may be hashing gigabytes, and that one keeps no token of make.
    if driver.isStopped { driver.tokens?.close() } else { driver.shutDown() }
    // A new state has lost the facts behind the verdicts, and only the full path drops what is withheld in vain.
    let isSettled =
      !account.hasLostRecords && account.setAside == nil && context.state.withheld?.isLeft != true
    if isSettled { snapshot?.write(in: context) }
    if let aside = account.setAside, place.lease?.hasToldSetAside != true {
      context.report(.warning(.stateSetAside(path: aside.path, why: aside.why)))
    }
    if account.hasLostRecords {
      context.report(
        .warning(
          .stateUnwritable(
            path: account.fault?.path ?? workspace.place.state, why: whyUnwritable(account.fault))))
    }
  }
}

// MARK: Units

extension RunSession {
  /// Puts the new outputs of a unit in place; in an update they wait for everything else.
  private func publish(_ unit: Int) {
    let outputs = outputs(of: unit)
    guard let withheld = context.state.withheld, withheld.scope == .units else {
      return events.append(.published(unit: unit, failed: nil))
    }
    for output in withheld.dropUnused(outputs) { committer.remember(.unwithhold(output: output)) }
    let contents = withheld.contents(of: outputs)
    guard let units = place.units, !contents.isEmpty,
      let first = workspace.graph.units.members(of: unit).first
    else {
      return events.append(.published(unit: unit, failed: nil))
    }
    let ticket = driver.expectOne { [self] letter in
      guard case .unitPublished(let fault) = letter else { return }
      published(unit, contents, fault)
      if fault == nil { withheld.removePublished(outputs) } else { withheld.leave(outputs) }
    }
    committer.publish(
      UnitJob(
        output: workspace.manifest[first].path, publish: { units.publish(contents, in: $0) },
        ticket: ticket))
  }

  private func published(
    _ unit: Int, _ contents: WithheldShelf.Contents, _ fault: WithheldPublication.Fault?
  ) {
    let members = workspace.graph.units.members(of: unit)
    guard let fault else {
      tellPlaced(contents, members)
      results.tell(members)
      return events.append(.published(unit: unit, failed: nil))
    }
    let culprit = members.first { workspace.manifest[$0].path == fault.output }
    let withheld = Set(contents.new.map(\.output.record.output))
    // If the publication is incomplete, some may be new.
    let kept = fault.isOpen ? [] : Set(contents.new.filter(\.over.isFile).map(\.output.record.output))
    results.tell(members) { result in
      // If no output is to blame, all have failed.
      if let culprit, culprit != result.id {
        result.skip(.together(workspace.manifest[culprit].name))
      } else {
        result.fail(fault.cause, keptOutput: kept.contains(result.output.path))
      }
    }
    let first = members.first { withheld.contains(workspace.manifest[$0].path) }
    events.append(.published(unit: unit, failed: culprit ?? first))
  }

  /// Reports which of `targets` have new outputs in place that were withheld.
  private func tellPlaced(_ contents: WithheldShelf.Contents, _ targets: [TargetID]) {
    guard settings.reports.hasTimes else { return }
    let outputs = Set(contents.new.map(\.output.record.output))
    for id in targets where outputs.contains(workspace.manifest[id].path) { context.report(.published(id)) }
  }

  /// The new outputs of a unit stay withheld.
  private func drop(_ unit: Int, _ reason: SkipReason) {
    context.state.withheld?.leave(outputs(of: unit))
    results.tell(workspace.graph.units.members(of: unit)) { $0.skip(reason) }
  }

  private func outputs(of unit: Int) -> Set<RelativePath> {
    Set(workspace.graph.units.members(of: unit).map { workspace.manifest[$0].path })
  }
}

extension RunSession: TargetOwner {
  func targetCloses(_ id: TargetID) { close(id) }

  func targetEnded(_ driver: TargetDriver, _ result: TargetResult) {
    ended(result, driver.machine.outlook)
  }
}

extension RunSession {
  /// In words, and first of all whose it is: its owner can write it, or give it away.
  private func whyUnwritable(_ fault: StateFault?) -> String {
    if fault?.isDiskFull != true,
      let owner = FileOwner.other(of: fault?.path ?? RunLock.path(in: workspace.place.state))
    {
      let isThere = owner.place.hasPrefix(fault?.path ?? workspace.place.state)
      return "\(isThere ? "it" : "its folder") belongs to \(owner.name)"
    }
    if let text = fault?.text { return text }
    return ManifestLocation.isLink(workspace.place.state) ? "it is a symbolic link" : "it is read-only"
  }
}
