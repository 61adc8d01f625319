import ArgumentParser
import Execution
import Planning
import Reporting
import SyncModel

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Bring targets (default: all) up to date.")

  @OptionGroup var project: ProjectOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var decisions: DecisionOptions

  @Flag(name: [.customShort("n"), .customLong("dry-run")], help: "Same as plan.")
  var dryRun = false

  @Flag(
    name: .shortAndLong,
    help: "Write and print nothing; exit 0 when all is fresh, 1 when something is stale.")
  var question = false

  @Flag(name: .shortAndLong, help: "After a failure go on with what does not depend on it.")
  var keepGoing = false

  @Flag(
    name: .shortAndLong,
    help: "Record the files that are there as up to date; fetch nothing.")
  var touch = false

  @Flag(help: "Fail if another run holds this root, instead of waiting.")
  var noWait = false

  @Option(help: ArgumentHelp("Progress: auto, bar, plain or none.", valueName: "how"))
  var progress: ProgressChoice = .auto

  func run() throws {
    if question || dryRun {
      return try Planned(project, selection, decisions).perform(question ? .question : .show)
    }
    let interruption = Interruption()
    var opened = try Project(project, mayLeaveSnapshot: true)
    let chosen = try opened.select(selection)
    var settings = try decisions.settings(opened)
    settings.keepsGoing = keepGoing
    settings.waitsForLock = !noWait
    try opened.readLock(decisions.lockManner(orElse: touch ? .quiet : .warn), for: chosen)
    if touch { return try touch(chosen, opened, settings, interruption) }

    let live = draws(opened) ? LiveConsole(opened.manifest, style: opened.style) : nil
    settings.reportsProgress = live != nil
    let narrator = narrator(opened, live)
    let outcome: RunOutcome
    do {
      outcome = try opened.withLock(decisions.lockManner(orElse: .warn), for: chosen) {
        workspace throws(RunFault) in
        try Runner.run(chosen, in: workspace, settings: settings, stop: interruption.stop) {
          narrator.handle($0)
          live?.handle($0)
        }
      }
      live?.finish()
    } catch {
      live?.finish()
      guard let error = error as? RunFault else { throw error }
      throw fault(error, chosen, opened, interruption)
    }
    finish(outcome, narrator, opened)
    if outcome.status == .interrupted { throw ExitCode(interruption.exitStatus ?? 130) }
    if outcome.status == .failed { throw ExitCode(2) }
  }

  private func draws(_ opened: Project) -> Bool { opened.verbosity != .silent && progress.drawsLines }

  private func touch(
    _ chosen: [TargetID], _ opened: Project, _ settings: RunSettings, _ interruption: Interruption
  ) throws {
    let narrator = narrator(opened)
    let results: [TargetResult]
    do {
      results = try Toucher.touch(
        chosen, in: opened.workspace, settings: settings, stop: interruption.stop, report: narrator.handle)
    } catch {
      throw fault(error, chosen, opened, interruption)
    }
    let status = RunJudgement.status(results: results, interrupted: false)
    finish(RunOutcome(results: results, status: status, duration: .zero), narrator, opened)
    if status == .failed { throw ExitCode(2) }
  }

  /// Nothing could be begun: `--json` still gets its document, in which every target was skipped.
  private func fault(
    _ fault: RunFault, _ chosen: [TargetID], _ opened: Project, _ interruption: Interruption
  ) -> ExitCode {
    if decisions.json {
      let results = chosen.map { TargetResult.notBegun(opened.manifest[$0]) }
      let status: RunStatus = fault == .interrupted ? .interrupted : .failed
      Console.out(RunJSON.render(results: results, status: status, manifest: opened.manifest))
    }
    return Failure.fault(fault, opened, interruption)
  }

  /// With --json standard output is the document's alone.
  private func narrator(_ opened: Project, _ live: LiveConsole? = nil) -> RunNarrator {
    let print: (String, (String) -> Void) -> Void = { text, print in
      if let live { live.above(text, print: print) } else { print(text) }
    }
    return RunNarrator(
      manifest: opened.manifest, style: opened.style, verbosity: opened.verbosity,
      listsTargets: progress != .none,
      out: { [decisions] in if !decisions.json { print($0, Console.out) } }, err: { print($0, Console.err) })
  }

  private func finish(_ outcome: RunOutcome, _ narrator: RunNarrator, _ opened: Project) {
    narrator.finish(status: outcome.status, results: outcome.results, duration: outcome.duration)
    if decisions.json {
      Console.out(
        RunJSON.render(results: outcome.results, status: outcome.status, manifest: opened.manifest))
    }
  }
}

extension DecisionOptions {
  /// What `--locked` and `--frozen` make of a command's own manner.
  func lockManner(orElse own: LockManner) -> LockManner { locked || frozen ? .strict : own }

  /// The settings of a run or a plan that these options ask for.
  func settings(_ project: Project) throws -> RunSettings {
    let jobs = min(jobs, Surroundings.mostJobs)
    var settings = RunSettings(
      jobs: jobs, mostClosing: Surroundings.mostClosing(beside: jobs), forcesAll: alwaysMake,
      assumedOld: try project.members(assumeOld),
      assumedNew: try project.members(assumeNew), isOffline: offline || frozen, overwritesEdits: overwrite,
      timeScale: Surroundings.timeScale, network: Surroundings.network)
    settings.unpacksWithZlib = Surroundings.text("SYNCMAKE_INFLATE") == "zlib"
    return settings
  }
}
