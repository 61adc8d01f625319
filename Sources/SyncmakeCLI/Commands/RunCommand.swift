import ArgumentParser
import Execution
import Planning
import Platform
import Reporting
import SyncModel

import enum Syncmake.LockManner
import struct Syncmake.OpenProject

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Bring targets (default: all) up to date.",
    discussion: """
      The default command. Updates the targets that these targets need first.

      Examples:
        syncmake                     everything
        syncmake genes chromosomes   a target and a group
        syncmake -n                  show what that would do; write nothing
        syncmake -kj4                four at once; continue after a failure
        syncmake -W genes            fetch this one again
        syncmake --overwrite genes   replace local edits
        syncmake run --shard 3/16    a sixteenth of the targets, for an array of jobs
        syncmake run --frozen        exactly the locked versions, without network
        syncmake --json > run.json   for scripts
      """)

  @OptionGroup(title: "Targets") var selection: SelectionOptions
  @OptionGroup(title: "Targets") var shards: ShardOptions
  @OptionGroup(title: "Decisions") var decisions: DecisionOptions
  @OptionGroup(title: "Execution") var course: CourseOptions
  @OptionGroup(title: "Execution") var temporary: TemporaryOptions
  @OptionGroup(title: "Results and reports") var results: ResultOptions
  @OptionGroup(title: "Results and reports") var reports: ReportOptions
  @OptionGroup(title: "Location and output") var project: ProjectOptions

  var json: Bool { results.json }
  var dryRun: Bool { course.dryRun }
  var question: Bool { course.question }
  var touch: Bool { course.touch }
  var keepGoing: Bool { course.keepGoing }
  var noWait: Bool { course.noWait }
  var progress: ProgressChoice { results.display.progress }

  func validate() throws {
    if course.exitCode, !dryRun { throw ValidationError("--exit-code needs -n, or `plan`") }
    if touch, question || dryRun {
      throw ValidationError(
        "-t records the present files, and \(question ? "-q" : "-n") shows what a run would do: they exclude each other"
      )
    }
    if touch, shards.shard != nil {
      throw ValidationError("-t records the present files of all targets, and cannot be divided by --shard")
    }
    if question || dryRun, let option = reports.first {
      throw ValidationError("\(option) reports a run, and \(question ? "-q" : "-n") runs nothing")
    }
    try reports.refuseBeside(json: json)
  }

  func run() throws { try run(QuickCheck.Answer()) }

  /// `found` is what the quick way has asked and learned.
  func run(_ found: QuickCheck.Answer) throws {
    if question || dryRun {
      return try Planned(
        project, selection, decisions, printsJSON: json, temporary.implied(by: shards), shards,
        allowsRemovals: course.allowRemovals, isQuiet: question, lists: found.lists, ci: reports.ci.platform
      )
      .perform(question ? .question : course.exitCode ? .showAndJudge : .show)
    }
    let interruption = Interruption()
    var found = found
    try Rereading.perform(in: project.place.folder) { past in
      do { try perform(found, interruption, past) } catch let fault as RunFault {
        if fault == .stateChanged { found.open = nil } else { found = QuickCheck.Answer() }
        throw fault
      }
    }
  }

  /// Throws `RunFault.stateChanged` if not all targets were open and others turn out to count, and `.manifestChanged`.
  private func perform(
    _ found: QuickCheck.Answer, _ interruption: Interruption, _ past: EarlierReadings
  ) throws {
    // A shard reads all of the manifest, and leaves nothing of the kind.
    let opened = try Project(
      project, decisions.user, remote: decisions.remoteCaching, mayLeaveSnapshot: shards.shard == nil,
      only: found.open, writesOutputs: true, ci: reports.ci.platform, past: past)
    try OpenProject.beginningAgain { isLast in
      if isLast { past.beginAgain() }
      try perform(found, opened, interruption, isLast: isLast)
    }
  }

  /// The same; throws `RunFault.lockFileChanged`, too, unless it `isLast`.
  private func perform(
    _ found: QuickCheck.Answer, _ project: Project, _ interruption: Interruption, isLast: Bool
  ) throws {
    let open = found.open
    var opened = project
    try opened.divideHosts(shards)
    if opened.manifest.isExpandable { try RunReports.check(self.reports, opened) }
    var asking = decisions.askingSettings(opened)
    asking.reports.hasTimes = self.reports.showsRequests
    asking.questions.takesStoredLists = touch
    do {
      try opened.expand(
        values: valueOrder(opened, found.early), settings: asking, keeps: !touch,
        allowsRemovals: course.allowRemovals,
        locked: { .locked($0) }, naming: selection.targets + decisions.assumeOld + decisions.assumeNew,
        early: found.lists, interruption, draws: opened.draws(progress, beside: self.reports))
    } catch let fault as RunFault where fault.endsCommand(isLast: isLast) {
      throw try self.fault(fault, opened, interruption)
    }
    var chosen = try opened.select(selection)
    var settings = try runSettings(opened)
    try opened.enter(shards, selection, &chosen, &settings)
    chosen = opened.withEarlier(chosen)
    var warnings: [RunEvent] = []
    try opened.readLock(decisions.lockManner(orElse: touch ? .quiet : .warn), for: chosen) {
      warnings.append($0)
    }
    // What a lock says of all targets has a say in each.
    if open != nil, opened.workspace.lockSeen != .missing { throw RunFault.stateChanged }
    let reports = try RunReports(reports, opened)
    let audience = RunObservers(
      opened, reports, draws: opened.draws(progress, beside: self.reports),
      lines: self.reports.ownLines(printsJSON: json), listsTargets: progress != .none, selection: chosen)
    for warning in warnings { audience.tell(warning) }
    if touch { return try touch(chosen, opened, settings, interruption, audience) }

    audience.setWishes(in: &settings)
    settings.earlier.connections = opened.tale?.connections ?? 0
    let outcome: RunOutcome
    do {
      defer { audience.endDrawing() }
      outcome = opened.whole(
        try opened.withLock(decisions.lockManner(orElse: .warn), for: chosen, report: audience.tell) {
          workspace throws(RunFault) in
          try Runner.run(
            chosen, in: workspace, settings: settings, stop: interruption.stop, early: found.early,
            report: audience.tell)
        })
    } catch {
      guard let error = error as? RunFault, error.endsCommand(isLast: isLast),
        opened.workspace.open == nil || error != .stateChanged
      else {
        throw error
      }
      throw fault(error, chosen, opened, interruption, audience)
    }
    let status = Failure.status(of: outcome, interruption, temporary.implied(by: shards))
    finish(outcome, opened, audience, status)
    if let status { throw status }
    opened.finish()
    CommandLineProgram.endInSuccess()
  }

  private func runSettings(_ opened: Project) throws -> RunSettings {
    var settings = try decisions.settings(opened)
    settings.course.keepsGoing = keepGoing
    settings.course.waitsForLock = !noWait
    settings.earlier.ended = opened.ended
    settings.earlier.updated = opened.past.updated
    settings.earlier.cache = opened.cacheBefore
    course.uploads.apply(to: &settings)
    return settings
  }

  private func valueOrder(_ project: Project, _ early: EarlyAnswers?) -> ValueOrder {
    var order = decisions.valueOrder(
      touch || shards.takesPresentValues ? .present : .run, names: selection.targets, tags: selection.tag,
      project)
    let (settings, keepsGoing, waits, uploads) = (order.settings, keepGoing, !noWait, course.uploads)
    let reportsTimes = reports.showsTimes
    order.settings = {
      var settings = try settings($0)
      settings.course.keepsGoing = keepsGoing
      settings.course.waitsForLock = waits
      settings.reports.hasTimes = reportsTimes
      uploads.apply(to: &settings)
      return settings
    }
    order.early = early
    return order
  }

  private func touch(
    _ chosen: [TargetID], _ opened: Project, _ settings: RunSettings, _ interruption: Interruption,
    _ audience: RunObservers
  ) throws {
    let results: [TargetResult]
    do {
      defer { audience.endDrawing() }
      results = try Toucher.touch(
        chosen, in: opened.workspace, settings: settings, stop: interruption.stop, report: audience.tell)
    } catch {
      guard error.endsCommand(isLast: true) else { throw error }
      throw fault(error, chosen, opened, interruption, audience)
    }
    let status = RunJudgement.status(results: results, interrupted: false)
    finish(RunOutcome(results: results, status: status, duration: .zero), opened, audience, nil)
    let others = results.filter { result in
      guard result.outcome == .fresh, let pin = opened.workspace.pin(of: opened.manifest[result.id]) else {
        return false
      }
      return PinRules.standing(pin, here: result.content?.sha256) == .drifted
    }
    if let (warning, hint) = LockText.touchedOthers(others.map(\.name)), opened.verbosity != .silent {
      Console.err(MessageText.warning(warning, hint: hint, style: opened.style, secrets: opened.secrets))
    }
    if status == .failed { throw ExitCode(2) }
  }

  /// The values or the lists could not be read to their end: the same for the targets of the lists that earlier runs have
  /// stored.
  private func fault(_ fault: RunFault, _ opened: Project, _ interruption: Interruption) throws -> ExitCode {
    var opened = opened
    opened.expandKnownLists()
    let known = try? Selection.resolve(
      names: selection.targets, tags: selection.tag, manifest: opened.manifest, graph: opened.workspace.graph)
    let reports = try RunReports(reports, opened)
    let audience = RunObservers(
      opened, reports, lines: self.reports.ownLines(printsJSON: json), selection: known)
    return self.fault(fault, known ?? [], opened, interruption, audience)
  }

  /// Nothing could be begun but what the values needed: `--json` and reports still get their documents, in which every
  /// other target was skipped.
  private func fault(
    _ fault: RunFault, _ chosen: [TargetID], _ opened: Project, _ interruption: Interruption,
    _ audience: RunObservers
  ) -> ExitCode {
    let outcome = RunOutcome.notBegun(chosen, fault, opened)
    audience.finishNotBegun(outcome, opened)
    printJSON(outcome, opened, Failure.status(of: outcome, interruption, TemporaryOptions.none))
    return Failure.fault(fault, opened, interruption)
  }

  private func finish(
    _ outcome: RunOutcome, _ opened: Project, _ audience: RunObservers, _ status: ExitCode?
  ) {
    audience.finishReports(outcome)
    audience.finish(outcome, keepsGoing: keepGoing)
    printJSON(outcome, opened, status)
  }

  private func printJSON(_ outcome: RunOutcome, _ opened: Project, _ status: ExitCode?) {
    guard json else { return }
    Console.out(
      RunJSON.render(
        results: outcome.results, status: outcome.status, failure: outcome.failure, removed: outcome.removed,
        cache: outcome.cache, manifest: opened.manifest, shard: opened.shard,
        exitStatus: Int(status?.rawValue ?? 0))
    )
  }
}

extension DecisionOptions {
  /// The lock manner with `--locked` or `--frozen`, else the command's own.
  func lockManner(orElse own: LockManner) -> LockManner { locked || frozen ? .strict : own }

  /// The settings for requests that come before any target is known.
  func askingSettings(_ project: Project) -> RunSettings {
    var settings = project.user.settings(jobs: jobs, cache: caching, remote: remoteCaching)
    settings.questions.isOffline = offline || frozen
    return settings
  }

  /// How the values of outputs are known for a selection; without requests if these options forbid them.
  func valueOrder(
    _ manner: ValueOrder.Manner, names: [String], tags: [String] = [], _ project: Project
  ) -> ValueOrder {
    let asking = askingSettings(project)
    return ValueOrder(manner, isOffline: asking.questions.isOffline, requiresLock: locked) {
      // Nothing is asked in a command that names what cannot be.
      _ = try project.members(assumeOld + assumeNew, in: $0.manifest)
      return try project.select(names: names, tags: tags, in: $0)
    } settings: { manifest in
      var settings = asking
      settings.overrides.forcesAll = alwaysMake
      settings.overrides.assumedOld = Project.knownMembers(assumeOld, in: manifest)
      settings.overrides.assumedNew = Project.knownMembers(assumeNew, in: manifest)
      settings.overrides.overwritesEdits = overwrite
      return settings
    }
  }

  /// The settings of a run or a plan that these options ask for.
  func settings(_ project: Project) throws -> RunSettings {
    var settings = askingSettings(project)
    settings.overrides.forcesAll = alwaysMake
    settings.overrides.assumedOld = try project.members(assumeOld)
    settings.overrides.assumedNew = try project.members(assumeNew)
    settings.overrides.overwritesEdits = overwrite
    return settings
  }
}
