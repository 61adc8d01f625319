import ArgumentParser
import Execution
import Planning
import Platform
import Reporting
import SyncModel

import struct Syncmake.FaultWords
import enum Syncmake.LockManner
import struct Syncmake.OpenProject

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Write syncmake.lock: exact versions and digests, to commit.",
    usage: "syncmake lock [<options>]",
    discussion: """
      Brings every target up to date and locks the result. Entries of unchanged targets stay. New targets are \
      added, changed targets are locked again, and removed targets are removed.

      Examples:
        syncmake lock             pin every target to what is there now
        syncmake lock --offline   the same; fails if a source must be asked
      """)

  @OptionGroup var project: ProjectOptions
  @OptionGroup var options: LockingOptions
  @OptionGroup var reports: ReportOptions

  func validate() throws { try reports.refuseBeside(json: options.json) }

  func run() throws {
    let interruption = Interruption()
    try Rereading.perform(in: project.place.folder) { past in
      let locking = try LockingRun(project, options, reports, interruption, past)
      try locking.perform(.run, locked: { .locked($0) }, { LockTask.lock($0.workspace) })
    }
  }
}

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Accept what the sources have now, and rewrite syncmake.lock.",
    discussion: """
      Updates the named targets (default: all) and the targets that are made from them. The targets that they need \
      are brought to their locked versions. An update is all or nothing: if a target fails that is not optional, \
      neither the lock nor any output changes. Finished downloads are kept for the next update.

      Examples:
        syncmake update                      everything
        syncmake update genes                only this target
        syncmake update -n --exit-code       write nothing; exit 1 if it would change
        syncmake update --json > moved.json  for a CI job that opens a merge request
      """)

  @OptionGroup var project: ProjectOptions
  @OptionGroup var options: LockingOptions
  @OptionGroup var reports: ReportOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Show what would move; download and write nothing.")
  var dryRun = false

  @Flag(help: "With -n: exit 1 if something would move.")
  var exitCode = false

  @Argument(
    help: ArgumentHelp("Targets or groups (default: all).", valueName: "target"), completion: .targets)
  var targets: [String] = []

  func validate() throws {
    if exitCode, !dryRun { throw ValidationError("--exit-code needs -n") }
    if dryRun, let option = reports.first {
      throw ValidationError("\(option) reports a run, and -n runs nothing")
    }
    try reports.refuseBeside(json: options.json)
  }

  func run() throws {
    let interruption = Interruption()
    try Rereading.perform(in: project.place.folder) { past in
      var update = try LockingRun(
        project, options, reports, interruption, past, withholds: true, isDryRun: dryRun)
      guard dryRun else {
        return try update.perform(.update, naming: targets, locked: { .renewed($0) }, task)
      }
      try update.expand(.plan, naming: targets) { .renewed($0) }
      try update.foretell(isWhole: targets.isEmpty, exitCode: exitCode, task)
    }
  }

  private func task(_ project: Project) throws -> LockTask {
    guard !targets.isEmpty else { return .update(nil, in: project.workspace) }
    let named = try project.members(targets)
    guard project.workspace.lock != nil else {
      throw Failure.manifest(
        "no \(LockFile.fileName) to update", "\(project.manifest.place.command("lock")) writes it",
        project.style, project.ci)
    }
    return .update(named, in: project.workspace)
  }
}

/// The common part of `lock` and `update`.
struct LockingOptions: ParsableArguments {
  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp("Targets in progress at once (default: the configuration's, else 16).", valueName: "n")
  )
  var jobs: Int?

  @Flag(name: .shortAndLong, help: "After a failure, continue with targets that do not depend on it.")
  var keepGoing = false

  @Flag(help: "Use no network; report targets that need it.")
  var offline = false

  @Flag(help: "Replace locally edited outputs.")
  var overwrite = false

  @Flag(help: "Fail instead of waiting if another run holds this root.")
  var noWait = false

  @Flag(help: "Print one JSON document at the end: each target's old and new version.")
  var json = false

  @OptionGroup var display: DisplayOptions
  @OptionGroup var removals: RemovalOptions
  @OptionGroup var caching: CacheOptions
  @OptionGroup var remoteCaching: RemoteCacheOptions
  @OptionGroup var uploads: UploadOptions
  @OptionGroup var temporary: TemporaryOptions
  @OptionGroup var user: UserOptions

  func validate() throws { try JobsRule.validate(jobs) }
}

/// One `lock` or `update`, from the options to the exit status.
struct LockingRun {
  private let interruption: Interruption
  private var project: Project
  private let options: LockingOptions
  private let reportOptions: ReportOptions
  /// Whether no output changes before all targets have succeeded.
  private let withholds: Bool

  init(
    _ projectOptions: ProjectOptions, _ options: LockingOptions, _ reports: ReportOptions,
    _ interruption: Interruption, _ past: EarlierReadings, withholds: Bool = false, isDryRun: Bool = false
  ) throws {
    self.interruption = interruption
    self.withholds = withholds
    project = try Project(
      projectOptions, options.user, remote: options.remoteCaching, replacesLock: withholds,
      writesOutputs: !isDryRun, ci: reports.ci.platform, past: past)
    self.options = options
    reportOptions = reports
  }

  /// Gives variables the values of outputs, and makes targets of what the manifest's lists name; of what is locked, only
  /// the targets with these `names` may change.
  ///
  /// An interruption ends a run with its documents, in which nothing has moved.
  mutating func expand(
    _ manner: ValueOrder.Manner, naming names: [String] = [], isLast: Bool = true,
    locked: (LockFile) -> LockedLists
  ) throws {
    var asking = project.user.settings(
      jobs: options.jobs, cache: options.caching, remote: options.remoteCaching)
    asking.questions.isOffline = options.offline
    asking.reports.hasTimes = reportOptions.showsRequests
    if project.manifest.isExpandable { try RunReports.check(reportOptions, project) }
    do {
      try project.expand(
        values: valueOrder(manner, names), settings: asking, keeps: manner != .plan,
        allowsRemovals: options.removals.allowRemovals, locked: locked,
        renewing: names.isEmpty ? nil : { Set(try Selection.named(names, in: $0)) }, interruption,
        draws: manner != .plan && draws)
    } catch let name as UnknownName {
      throw Failure.unknown(name, project.manifest, project.style, project.ci)
    } catch let fault as RunFault where fault.endsCommand(isLast: isLast) {
      guard manner != .plan else { throw Failure.fault(fault, project, interruption) }
      project.expandKnownLists()
      let known = try? Selection.resolve(
        names: names, tags: [], manifest: project.manifest, graph: project.workspace.graph)
      let reports = try RunReports(reportOptions, project)
      throw self.fault(fault, known ?? [], project, audience(project, reports))
    }
  }

  private func valueOrder(_ manner: ValueOrder.Manner, _ names: [String]) -> ValueOrder {
    let whole = project
    var own = settings
    own.reports.hasPins = manner != .plan
    own.reports.hasTimes = reportOptions.showsTimes
    let settings = own
    var values = ValueOrder(manner, isOffline: options.offline) {
      try whole.select(names: names, in: $0)
    } settings: { _ in
      settings
    }
    values.renews = manner != .run
    return values
  }

  private func audience(_ project: Project, _ reports: RunReports, draws: Bool = false) -> RunObservers {
    RunObservers(
      project, reports, draws: draws, lines: reportOptions.ownLines(printsJSON: options.json),
      listsTargets: options.display.progress != .none)
  }

  private var draws: Bool { project.draws(options.display.progress, beside: reportOptions) }

  /// Nothing could be begun: reports and `--json` still get their documents.
  private func fault(
    _ fault: RunFault, _ selection: [TargetID], _ project: Project, _ audience: RunObservers
  ) -> ExitCode {
    let outcome = RunOutcome.notBegun(selection, fault, project)
    audience.finishNotBegun(outcome, project)
    tellNothing(outcome, project)
    return Failure.fault(fault, project, interruption)
  }

  /// Expands and performs all of it, and once more if the lock has changed whose entries are its targets: an earlier
  /// update may have been killed, or have ended while this one waited.
  func perform(
    _ manner: ValueOrder.Manner, naming names: [String] = [], locked: (LockFile) -> LockedLists,
    _ task: (Project) throws -> LockTask
  ) throws {
    try OpenProject.beginningAgain { isLast in
      var run = self
      if isLast { project.past.beginAgain() }
      try run.expand(manner, naming: names, isLast: isLast, locked: locked)
      try run.perform(task, isLast: isLast)
    }
  }

  private func perform(_ task: (Project) throws -> LockTask, isLast: Bool) throws {
    var project = project
    try project.readLock(.quiet, for: [])
    let seen = project.workspace.lockSeen
    // Computed once: another process may change the lock while this one waits, but not the task.
    let task = try task(project)
    let reports = try RunReports(reportOptions, project)
    let audience = audience(project, reports, draws: draws)
    var settings = settings
    audience.setWishes(in: &settings)
    settings.earlier.connections = project.tale?.connections ?? 0
    settings.earlier.ended = project.ended
    settings.earlier.updated = project.past.updated
    settings.earlier.cache = project.cacheBefore
    settings.earlier.costs = project.costs
    var outcome: LockOutcome
    do {
      defer { audience.endDrawing() }
      outcome = try project.withLock(.quiet, for: [], report: audience.tell) { workspace throws(RunFault) in
        try Locker.lock(
          task, in: workspace, settings: settings, stop: interruption.stop, report: audience.tell)
      }
    } catch let fault as RunFault where fault.endsCommand(isLast: isLast) {
      throw self.fault(fault, task.selection, project, audience)
    }
    outcome.run = project.whole(outcome.run)
    audience.finishReports(outcome.run)
    // A lock that has changed meanwhile is perhaps that of an interrupted update, which was completed.
    let isAsBefore = !isLast && !outcome.concludesEarlier && seen == project.workspace.lockSeen
    tellEnd(outcome, audience, project, isAsBefore: isAsBefore)
    tellOfLockedLists(outcome.run.results, task, project)
    if let status = Failure.status(of: outcome.run, interruption, options.temporary) { throw status }
  }

  /// `update -n`: shows what would move.
  func foretell(
    isWhole: Bool, exitCode: Bool, _ task: (Project) throws -> LockTask
  ) throws {
    var project = project
    try project.readLock(.quiet, for: [])
    let task = try task(project)
    var settings = settings
    settings.questions.insistsOnWhatMoved = true
    // Of what is not locked yet, this tells whether the server has it.
    settings.questions.asksHowLarge = true
    var plan: Plan
    do {
      plan = try PlanMaker.plan(
        task.selection, in: project.workspace, settings: settings, stop: interruption.stop,
        report: project.tellOfLooking
      ).failingWhereAbsent
    } catch {
      throw Failure.fault(error, project, interruption)
    }
    let values = ValueChange.forecast(plan, project.workspace.lock, in: project.manifest)
    let unknown = Set(values.filter { $0.now == nil }.map(\.name))
    let open = Set(project.manifest.values.filter { unknown.contains($0.name) }.flatMap(\.users))
    plan = plan.leavingOpen(open)
    let forecast = UpdateForecast(
      plan, taking: task.unpinned, open: open, isWhole: isWhole, lock: project.workspace.lock,
      in: project.manifest, project.workspace.graph)
    let failed = plan.targets.filter { $0.action == .error && !project.manifest[$0.id].isOptional }
    tell(forecast, values, plan, hasFailed: !failed.isEmpty, project)
    if !failed.isEmpty {
      throw Failure.failed(
        isTemporary: RunJudgement.isTemporary(failures: failed.map(\.failure)), options.temporary)
    }
    if exitCode, forecast.hasChanges || !values.isEmpty { throw ExitCode(1) }
  }

  private func tell(
    _ forecast: UpdateForecast, _ values: [ValueChange], _ plan: Plan, hasFailed: Bool, _ project: Project
  ) {
    if options.json {
      Console.out(
        UpdateJSON.render(
          forecast.changes, values, results: plan.failures(in: project.manifest) + plan.removals,
          status: hasFailed ? .failed : .ok, isForecast: true, manifest: project.manifest))
    } else if project.verbosity != .silent {
      Console.out(LockText.render(forecast, values, plan, style: project.outStyle, secrets: project.secrets))
    }
    if let (warning, hint) = LockText.unknown(forecast.unknown, of: project.manifest),
      project.verbosity != .silent
    {
      Console.err(MessageText.warning(warning, hint: hint, style: project.style, secrets: project.secrets))
    }
    Console.err(PlanText.problems(plan, manifest: project.manifest, style: project.style))
    project.ci.annotate(plan, project)
  }

  private var settings: RunSettings {
    var settings = project.user.settings(
      jobs: options.jobs, cache: options.caching, remote: options.remoteCaching)
    settings.course.keepsGoing = options.keepGoing
    settings.questions.isOffline = options.offline
    settings.overrides.overwritesEdits = options.overwrite
    settings.course.waitsForLock = !options.noWait
    settings.course.withholds = withholds
    options.uploads.apply(to: &settings)
    return settings
  }

  private func tellEnd(
    _ outcome: LockOutcome, _ audience: RunObservers, _ project: Project, isAsBefore: Bool
  ) {
    audience.finish(outcome.run, keepsGoing: options.keepGoing || withholds)
    let warnings =
      (LockText.unlocked(outcome.unlocked, of: project.manifest).map { [$0] } ?? [])
      + LockText.contradicting(outcome.contradictions, project.manifest)
    for (warning, hint) in warnings where project.verbosity != .silent {
      Console.err(MessageText.warning(warning, hint: hint, style: project.style, secrets: project.secrets))
      project.ci.annotate([
        Diagnostic(
          severity: .warning, file: LockFile.fileName, message: project.secrets.mask(warning),
          hint: project.secrets.mask(hint))
      ])
    }
    if let failure = outcome.run.failure {
      let message = FailureText.message(failure, secrets: project.secrets)
      let kept: String? =
        if failure == .lockChanged {
          withholds ? "nothing was written" : "\(LockFile.fileName) was not written"
        } else if !outcome.changes.isEmpty {
          "\(LockFile.fileName) is the new one"
        } else {
          project.workspace.lock.map { _ in "\(LockFile.fileName) is unchanged" }
        }
      let next = FailureText.hint(TargetFailure(failure), target: nil, of: project.manifest)
      let hint = [kept, next].compactMap(\.self).joined(separator: "; ")
      Console.err(MessageText.error(message, hint: hint, style: project.style, secrets: project.secrets))
      project.ci.annotate(message, hint: hint, secrets: project.secrets)
    }
    if options.json {
      Console.out(
        UpdateJSON.render(
          outcome.changes, outcome.values, results: outcome.run.results, status: outcome.run.status,
          failure: outcome.run.failure,
          manifest: project.manifest))
    } else if reportOptions.ownLines(printsJSON: false) == .nowhere {
      return
    } else if outcome.run.status == .ok, project.verbosity != .silent {
      audience.tellResult(
        LockText.render(
          outcome.changes, outcome.values, hadLock: project.workspace.lock != nil,
          targets: outcome.run.results.count - outcome.unlocked.count,
          style: project.outStyle, secrets: project.secrets))
    } else if outcome.run.failure == nil, isAsBefore {
      tellUnchanged(project)
    }
  }

  /// What is wrong with a digest may only be that its list is not among the targets that are updated.
  private func tellOfLockedLists(_ results: [TargetResult], _ task: LockTask, _ project: Project) {
    guard project.verbosity != .silent else { return }
    for result in results {
      guard case .digestMismatch(_, _, _, let step)? = result.failure?.cause,
        let list = task.lockedList(of: result.id, step: step, in: project.workspace)
      else { continue }
      let (message, hint) = LockText.comparedWithLocked(result.name, list, in: project.manifest)
      Console.err(MessageText.warning(message, hint: hint, style: project.style, secrets: project.secrets))
    }
  }

  private func tellUnchanged(_ project: Project) {
    guard project.verbosity != .silent else { return }
    let hadLock = project.workspace.lock != nil
    let lock = LockFile.fileName
    let what =
      switch (hadLock, withholds) {
      case (true, true): "\(lock) and all outputs are unchanged"
      case (true, false): "\(lock) is unchanged"
      case (false, true): "no \(lock) was written, and all outputs are unchanged"
      case (false, false): "no \(lock) was written"
      }
    Console.err("syncmake: \(what)\n")
  }

  /// Nothing could be begun: `--json` still gets its document, in which nothing moved.
  private func tellNothing(_ outcome: RunOutcome, _ project: Project) {
    guard options.json else {
      if outcome.status == .interrupted, project.manifest.isExpandable { tellUnchanged(project) }
      return
    }
    Console.out(
      UpdateJSON.render(
        [], [], results: outcome.results, status: outcome.status, failure: outcome.failure,
        manifest: project.manifest))
  }
}

extension RunOutcome {
  /// The results of a run that could not begin: every target was skipped, except those that values needed before.
  static func notBegun(_ selection: [TargetID], _ fault: RunFault, _ project: Project) -> RunOutcome {
    let results = selection.map { id in
      let target = project.manifest[id]
      if var ended = project.ended[target.name] {
        ended.id = id
        return ended
      }
      var result = TargetResult(id: id, name: target.name, outcome: .skipped, output: target.output)
      result.skipped = .runStopped
      result.isOptional = target.isOptional
      return result
    }
    var outcome = RunOutcome(
      results: results, status: fault == .interrupted ? .interrupted : .failed, duration: .zero)
    outcome.failure =
      if case .unusable(let cause) = fault { cause } else {
        FaultWords(fault, project.secrets).map { .notBegun($0.message, hint: $0.hint) }
      }
    return project.whole(outcome)
  }
}
