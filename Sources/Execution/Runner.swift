import LocalFiles
import Planning
import StateStore
package import SyncModel
import Transfer

/// Why a run, a plan or a status could not even begin.
package enum RunFault: Error, Sendable, Equatable {
  /// Another run holds the root, and `--no-wait` was given; `holder` is the text of its lock.
  case busy(holder: String)
  /// Stopped while waiting for another run.
  case interrupted
  /// The root, or something every target needs, cannot be used.
  case unusable(FailureCause)
  /// `syncmake.lock` has changed since it was read: read it again, and start over.
  case lockFileChanged
  /// Another run has changed the state after ``Workspace/open`` was determined: start over with all targets.
  case stateChanged
}

/// The result of a run.
package struct RunOutcome: Sendable {
  /// One for each selected target, in an order in which they could run.
  package var results: [TargetResult]
  /// Also failed if the run could not begin for another reason than an interruption.
  package var status: RunStatus
  /// A failure that belongs to no target: the run could not begin, or the lock could not be written.
  package var failure: FailureCause?
  /// Includes the wait for another run; zero if no run began, and with `--touch`.
  package var duration: Duration
  /// The number of other targets that were found fresh before the run began.
  package var confirmed = 0

  package init(results: [TargetResult], status: RunStatus, duration: Duration) {
    self.results = results
    self.status = status
    self.duration = duration
  }
}

/// Brings the selected targets up to date.
package enum Runner {
  /// Blocks until everything selected has ended; `report` is called on this thread.
  ///
  /// - `early`: what ``QuickCheck`` has asked already.
  package static func run(
    _ selection: [TargetID], in workspace: Workspace, settings: RunSettings, stop: StopSignal,
    early: EarlyAnswers? = nil, report: @escaping (RunEvent) -> Void
  ) throws(RunFault) -> RunOutcome {
    let began = SystemClock.monotonic()
    let session = try RunSession(workspace, settings, stop, early: early, report)
    report(.started(targets: selection.count))
    let (results, isInterrupted) = session.perform(selection)
    session.close()
    var outcome = RunOutcome(
      results: results, status: RunJudgement.status(results: results, interrupted: isInterrupted),
      duration: SystemClock.monotonic() - began)
    outcome.confirmed = workspace.open?.confirmed ?? 0
    return outcome
  }
}

/// One run's lease of the root: its lock, its state, its threads.
final class RunSession {
  /// The folder in which a lock file is staged; `nil` if nothing can be written.
  var stateFolder: StateFolder? { context.stateFolder }
  /// Why ``stateFolder`` is `nil`.
  var stateFault: FailureCause { context.stateFault }
  var root: RootFolder { context.root }
  private let workspace: Workspace
  private let settings: RunSettings
  private let stop: StopSignal
  private let report: (RunEvent) -> Void
  private let lock: RunLock?
  private let driver: Driver
  private let committer: Committer
  private let hasToldSetAside: Bool
  private let context: RunContext
  private var active: [TargetID: any ActiveTarget] = [:]
  /// Those of them that only wait for the disk.
  private var closing: Set<TargetID> = []
  private var isWaitingForCompany = false
  /// The next events for the scheduler.
  private var events: [Scheduler.Event] = []
  /// `nil` if no target of this run may take this path.
  private lazy var plainWay = PlainWay(
    context,
    closing: { [unowned self] in close($0) },
    done: { [unowned self] in ended($0) },
    handOver: { [unowned self] in goOn($0, $1) })
  private var results: [TargetResult?]
  /// Those of new outputs that an update withholds, in the order in which they ended.
  private var unreported: [TargetID] = []
  /// `nil` while the committer is at work.
  private var account: Committer.Account?
  private let store: StateStore?
  private var snapshot: SnapshotMaker?

  init(
    _ workspace: Workspace, _ settings: RunSettings, _ stop: StopSignal, early: EarlyAnswers? = nil,
    _ report: @escaping (RunEvent) -> Void
  ) throws(RunFault) {
    self.workspace = workspace
    self.settings = settings
    self.stop = stop
    self.report = report
    results = Array(repeating: nil, count: workspace.manifest.targets.count)
    let root: RootFolder
    do throws(FailureCause) {
      root = try RootFolder(path: workspace.rootPath)
      driver = try Driver(settings: settings, manifest: workspace.manifest, early: early)
    } catch {
      throw .unusable(error)
    }
    var folder: StateFolder?
    var fault = FailureCause.internalError("no state folder")
    do throws(FailureCause) {
      folder = try StateFolder(path: workspace.statePath, mayBeLink: workspace.stateMayBeLink)
    } catch {
      fault = error
    }
    do throws(RunFault) {
      lock = try folder.flatMap { (folder) throws(RunFault) in
        try Locking.acquire(folder, waits: settings.waitsForLock, stop: stop) { event in
          // Meanwhile the other run may change the targets, and no thread serves the connections.
          early?.replies.drop()
          report(event)
        }
      }
    } catch {
      // If nothing can be written, there is nothing to lock, and perhaps nothing to do.
      guard case .unusable(let cause) = error, cause.isRefusedWriting else { throw error }
      (lock, folder, fault) = (nil, nil, cause)
    }
    guard root.observe(LockWriter.path) == workspace.lockSeen else { throw .lockFileChanged }
    if lock != nil {
      folder?.clearStaging(root: root)
      SnapshotFile.clearUnfinished(in: workspace.statePath)
      snapshot = SnapshotMaker(workspace)
      if let open = workspace.open, !open.isStateUnchanged(in: workspace.statePath) { throw .stateChanged }
    }
    let state: OpenState
    do throws(FailureCause) {
      var opened = try OpenState(
        workspace.statePath, isWritable: folder != nil, only: workspace.open?.outputs, report)
      if let folder, opened.snapshot.publication != nil { try opened.completePublication(root, folder) }
      state = opened
    } catch {
      throw .unusable(error)
    }
    // Perhaps that has changed the lock.
    guard root.observe(LockWriter.path) == workspace.lockSeen else { throw .lockFileChanged }
    // A killed run may have named these a moment ago; they are recorded when their targets find them.
    if lock != nil, !state.snapshot.pending.isEmpty {
      try? root.syncFolders(of: state.snapshot.pending.map(\.output))
    }
    if lock != nil { CheckLog.forget(after: SystemClock.now(), in: workspace.statePath) }
    hasToldSetAside = state.store?.setAside != nil
    store = state.store
    let withheld =
      settings.withholds ? folder.map { WithheldShelf($0, earlier: state.snapshot.withheld) } : nil
    if state.store != nil { withheld?.removeUnrecorded() }
    committer = Committer(
      store: state.store, fault: state.fault, root: root, folder: folder, mailbox: driver.mailbox,
      withholds: withheld != nil)
    context = RunContext(
      .run, workspace: workspace, settings: settings, driver: driver, root: root,
      records: RecordIndex(state.snapshot), committer: committer, stateFolder: folder, withheld: withheld,
      stateFault: fault,
      report: report)
    guard lock != nil else { return }
    context.removeForeignPartials()
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
      graph: workspace.graph, selection: selection, jobs: settings.jobs, mostClosing: settings.mostClosing,
      keepsGoing: settings.keepsGoing,
      optional: selection.filter { workspace.manifest[$0].isOptional }, independent: settings.assumedOld,
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
    if settings.reportsProgress { tick() }
    driver.run(
      until: {
        for host in driver.loop?.takeStreamHosts() ?? [] {
          events.append(.hostTakes(host, requests: TransferLoop.streamLimit))
        }
        pump()
        gatherFiles()
        return scheduler.isDone
      },
      onStop: { [self] in
        actions += scheduler.handle(.interrupted)
        for run in active.values.sorted(by: { $0.target.id < $1.target.id }) { run.interrupt() }
        context.sidecars.cancelAll()
      })
    return (selection.compactMap { results[$0.index] }, driver.isStopped)
  }

  private func perform(_ action: Scheduler.Action) {
    switch action {
    case .begin(let id): begin(id)
    case .skip(let id, let reason):
      let target = workspace.manifest[id]
      var result = TargetResult(id: id, name: target.name, outcome: .skipped, output: target.output)
      result.skipped = reason
      result.isOptional = target.isOptional
      end(result)
    }
  }

  private func begin(_ id: TargetID) {
    let began = SystemClock.monotonic()
    if let plain = plainWay?.begin(id, at: began) {
      active[id] = plain
      return
    }
    let target = TargetDriver(context.question(on: id), began: began, in: context, owner: self)
    active[id] = target
    target.begin()
  }

  /// The full path for a target that the fast path cannot finish.
  private func goOn(_ id: TargetID, _ adopted: AdoptedExchange) -> SourceExchange {
    var question = context.question(on: id)
    // A later change there does not affect the question; the publication detects it.
    question.output = .missing
    let target = TargetDriver(question, began: adopted.began, in: context, owner: self)
    active[id] = target
    target.begin(with: adopted)
    return target.exchange
  }

  /// Only disk I/O remains for the target.
  private func close(_ id: TargetID) {
    closing.insert(id)
    events.append(.closing(id))
  }

  private func ended(_ result: TargetResult, _ standing: Standing? = nil, _ revalidation: Revalidation? = nil)
  {
    let id = result.id
    active[id] = nil
    snapshot?.add(result, standing, revalidation)
    closing.remove(id)
    end(result)
    events.append(
      .finished(id, result.outcome == .updated || result.outcome == .fresh ? .succeeded : .failed))
  }

  /// Lets finished files wait for those that come soon, and no longer.
  private func gatherFiles() {
    let time = committer.expectCompany(!driver.isStopped && active.count > closing.count)
    guard let time, !isWaitingForCompany else { return }
    isWaitingForCompany = true
    driver.after(time) { [weak self] in self?.isWaitingForCompany = false }
  }

  private func tick() {
    report(.tick)
    driver.after(.milliseconds(100)) { [weak self] in self?.tick() }
  }

  private func end(_ result: TargetResult) {
    results[result.id.index] = result
    if result.outcome == .fresh, result.reason != .fresh(.assumedFresh) {
      context.removeOldPartial(of: workspace.manifest[result.id])
    }
    // An update reports a new output once it is known whether it is published.
    if context.withheld?.holds(result.output) == true { return unreported.append(result.id) }
    report(.finished(result))
  }

  /// Whether new outputs are put in place by ``publish(lock:)``.
  var withholds: Bool { context.withheld != nil }

  /// The results of `selection`.
  func results(of selection: [TargetID]) -> [TargetResult] { selection.compactMap { results[$0.index] } }

  /// Ends an update: publishes everything that is withheld, with the lock's `text`, or with `nil` nothing, and
  /// reports it.
  ///
  /// Returns whether that was done. Throws if the failure belongs to no target.
  func publish(lock text: String?) throws(FailureCause) -> Bool {
    guard let withheld = context.withheld else { return false }
    var fault: UpdatePublication.Fault?
    if let text {
      do throws(UpdatePublication.Fault) { try publish(withheld, lock: text) } catch { fault = error }
    }
    let isPublished = text != nil && fault == nil
    for id in unreported {
      guard var result = results[id.index] else { continue }
      if !isPublished {
        result.reason = nil
        if let fault, fault.output == result.output {
          result.outcome = .failed
          result.failure = TargetFailure(fault.cause, keptOutput: true)
        } else {
          result.outcome = .skipped
          result.skipped = .withheld
        }
        results[id.index] = result
      }
      report(.finished(result))
    }
    unreported = []
    if let fault, fault.output == nil { throw fault.cause }
    return isPublished
  }

  private func publish(_ withheld: WithheldShelf, lock text: String) throws(UpdatePublication.Fault) {
    let account = endCommitting()
    // A new state is not an obstacle: the decision contains everything that its end needs.
    guard let store, let folder = stateFolder, !account.hasLostRecords else {
      throw .init(cause: account.fault?.asCause ?? stateFault)
    }
    // A decided publication is completed, even after a signal.
    stop.onStop {}
    defer { stop.onStop(nil) }
    try UpdatePublication(store: store, root: root, folder: folder).perform(
      withheld.all, lock: text, over: workspace.lockSeen)
    for retiming in withheld.retimings {
      var record = retiming.record
      let set = try? root.setModified(record.output, retiming.time, ifStill: record.signature)
      guard let set else { continue }
      record.signature = set
      try? store.apply([.commit(record)])
    }
  }

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
    // After a signal the run does not wait for a worker that may be hashing gigabytes.
    if !driver.isStopped { driver.shutDown() }
    // A new state has lost the facts behind the verdicts.
    if !account.hasLostRecords, account.setAside == nil { snapshot?.write(in: context) }
    if let aside = account.setAside, !hasToldSetAside {
      report(.warning(.stateSetAside(path: aside.path, why: aside.why)))
    }
    if account.hasLostRecords {
      report(
        .warning(
          .stateUnwritable(
            path: account.fault?.path ?? workspace.statePath, why: whyUnwritable(account.fault))))
    }
  }
}

extension RunSession: TargetOwner {
  func targetCloses(_ id: TargetID) { close(id) }

  func targetEnded(_ driver: TargetDriver, _ result: TargetResult) {
    ended(result, driver.machine.standing, driver.machine.revalidation)
  }
}

extension RunSession {
  /// In words, and first of all whose it is: its owner can write it, or give it away.
  private func whyUnwritable(_ fault: StateFault?) -> String {
    if fault?.isDiskFull != true,
      let owner = FileOwner.other(of: fault?.path ?? RunLock.path(in: workspace.statePath))
    {
      return "it belongs to \(owner)"
    }
    return fault?.text ?? "it is read-only"
  }
}

/// The state for a run: opened for writing if possible, else read, else empty.
struct OpenState {
  private(set) var store: StateStore?
  private(set) var snapshot = StateSnapshot()
  /// Why there is no ``store`` although there should be one.
  private(set) var fault: StateFault?

  /// Throws only without SQLite: then every output would look new.
  ///
  /// - outputs: the outputs whose records are needed; `nil` for all.
  init(
    _ path: String, isWritable: Bool, only outputs: [RelativePath]? = nil, _ report: (RunEvent) -> Void
  ) throws(FailureCause) {
    if isWritable {
      do throws(StateFault) {
        let opened = try StateStore.open(folder: path, access: .readWrite)
        snapshot = try opened.load(only: outputs)
        store = opened
        if let aside = opened.setAside { report(.warning(.stateSetAside(path: aside.path, why: aside.why))) }
        return
      } catch {
        if error.isWithoutLibrary { throw error.asCause }
        store = nil
        fault = error
      }
    }
    snapshot = try Self.read(path, report)
  }

  /// Completes an update that was decided and did not come to its end.
  mutating func completePublication(_ root: RootFolder, _ folder: StateFolder) throws(FailureCause) {
    guard let store, let publication = snapshot.publication else { return }
    try UpdatePublication(store: store, root: root, folder: folder).complete(publication, snapshot.withheld)
    do throws(StateFault) { snapshot = try store.load() } catch { throw error.asCause }
  }

  /// The records, without writing anything; an unreadable state counts as empty, which `report` gets, except
  /// without SQLite.
  static func read(_ path: String, _ report: (RunEvent) -> Void) throws(FailureCause) -> StateSnapshot {
    do throws(StateFault) {
      let store = try StateStore.open(folder: path, access: .readOnly)
      let snapshot = try store.load()
      if let why = store.unusable { report(.warning(.stateUnreadable(why: why))) }
      return snapshot
    } catch {
      if error.isWithoutLibrary { throw error.asCause }
      report(.warning(.stateUnreadable(why: error.text)))
      return StateSnapshot()
    }
  }
}
