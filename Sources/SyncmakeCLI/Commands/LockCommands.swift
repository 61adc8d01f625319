import ArgumentParser
import Execution
import Planning
import Reporting
import SyncModel

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Write syncmake.lock: exact versions and digests, to be committed.",
    discussion: """
      Brings every target up to date and locks what is there then. What is locked already stays as it is; what \
      the manifest has new is added, what it changed is locked anew, what it dropped is dropped.
      """)

  @OptionGroup var project: ProjectOptions
  @OptionGroup var options: LockingOptions

  func run() throws {
    try LockingRun(project, options).perform { project, lock in
      guard let lock else { return .init(selection: try project.select(names: []), unpinned: []) }
      let contradicted = LockReview(lock, project.manifest).contradictions.map(\.id)
      return .init(selection: try project.select(names: []), unpinned: Set(contradicted))
    }
  }
}

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Take what upstream has now, and rewrite syncmake.lock.",
    discussion: """
      Only the targets that are named (default: all); what they need is brought to what the lock says. Where one \
      fails, the lock stays as it was.
      """)

  @OptionGroup var project: ProjectOptions
  @OptionGroup var options: LockingOptions

  @Argument(help: ArgumentHelp("Targets or groups (default: all).", valueName: "target"))
  var targets: [String] = []

  func run() throws {
    try LockingRun(project, options).perform { project, lock in
      let all = project.manifest.targets.map(\.id)
      guard !targets.isEmpty else {
        return .init(selection: try project.select(names: []), unpinned: Set(all))
      }
      let selection = try project.select(names: targets)
      guard lock != nil else {
        throw Failure.manifest(
          "there is no \(LockFile.fileName) to update", "`syncmake lock` writes it", project.style)
      }
      return .init(selection: selection, unpinned: try project.members(targets))
    }
  }
}

/// What `lock` and `update` have in common.
struct LockingOptions: ParsableArguments {
  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp("Targets in progress at once.", valueName: "n"))
  var jobs = 16

  @Flag(name: .shortAndLong, help: "After a failure go on with what does not depend on it.")
  var keepGoing = false

  @Flag(help: "No network: what needs it is reported, not guessed.")
  var offline = false

  @Flag(help: "Let locally edited outputs be replaced.")
  var overwrite = false

  @Flag(help: "Fail if another run holds this root, instead of waiting.")
  var noWait = false

  @Flag(help: "Print one JSON document when done: what moved from what to what.")
  var json = false

  func validate() throws {
    guard jobs > 0 else { throw ValidationError("-j takes a number of 1 or more, not \(jobs)") }
  }
}

/// One `lock` or `update`, from the options to the exit status.
private struct LockingRun {
  struct Task {
    var selection: [TargetID]
    /// Those that take what upstream has now.
    var unpinned: Set<TargetID>
  }

  private let interruption = Interruption()
  private var project: Project
  private let options: LockingOptions

  init(_ projectOptions: ProjectOptions, _ options: LockingOptions) throws {
    project = try Project(projectOptions)
    self.options = options
  }

  func perform(_ task: (Project, LockFile?) throws -> Task) throws {
    var project = project
    try project.readLock(.quiet, for: [])
    // Asked once: another process may change the lock while this one waits, not what is to be done.
    let task = try task(project, project.workspace.lock)
    let narrator = RunNarrator(
      manifest: project.manifest, style: project.style, verbosity: project.verbosity,
      out: { [options] in if !options.json { Console.out($0) } }, err: Console.err)
    let outcome: LockOutcome
    do {
      outcome = try project.withLock(.quiet, for: []) { workspace throws(RunFault) in
        try Locker.lock(
          task.selection, in: Self.adapted(workspace, task), settings: settings, stop: interruption.stop,
          report: narrator.handle)
      }
    } catch let fault as RunFault {
      tellNothing(task, fault, project)
      throw Failure.fault(fault, project, interruption)
    }
    tell(outcome, narrator, project)
    if outcome.run.status == .interrupted { throw ExitCode(interruption.exitStatus ?? 130) }
    if outcome.run.status == .failed { throw ExitCode(2) }
  }

  /// The rules `once` and `interval` would not ask those that take what upstream has now.
  private static func adapted(_ workspace: Workspace, _ task: Task) -> Workspace {
    var workspace = workspace
    workspace.unpinned = task.unpinned
    for id in task.unpinned {
      workspace.manifest.targets[id.index].freshness = workspace.manifest[id].freshness?.askingNow
    }
    return workspace
  }

  private var settings: RunSettings {
    RunSettings(
      jobs: min(options.jobs, Surroundings.mostJobs), keepsGoing: options.keepGoing,
      isOffline: options.offline, overwritesEdits: options.overwrite, waitsForLock: !options.noWait,
      timeScale: Surroundings.timeScale, network: Surroundings.network)
  }

  private func tell(_ outcome: LockOutcome, _ narrator: RunNarrator, _ project: Project) {
    narrator.finish(
      status: outcome.run.status, results: outcome.run.results, duration: outcome.run.duration)
    if let failure = outcome.failure {
      Console.err(
        MessageText.error(
          FailureText.message(failure, secrets: project.secrets),
          hint: "\(LockFile.fileName) is as it was", style: project.style, secrets: project.secrets))
    }
    if options.json {
      Console.out(
        UpdateJSON.render(
          outcome.changes, results: outcome.run.results, status: outcome.run.status, failure: outcome.failure,
          manifest: project.manifest))
    } else if outcome.run.status == .ok, project.verbosity != .silent {
      Console.out(
        LockText.render(
          outcome.changes, hadLock: project.workspace.lock != nil, targets: outcome.run.results.count,
          style: project.style, secrets: project.secrets))
    } else if outcome.failure == nil, project.verbosity != .silent {
      Console.err("syncmake: \(LockFile.fileName) is as it was\n")
    }
  }

  /// Nothing could be begun: `--json` still gets its document, in which nothing moved.
  private func tellNothing(_ task: Task, _ fault: RunFault, _ project: Project) {
    guard options.json else { return }
    let status: RunStatus = fault == .interrupted ? .interrupted : .failed
    Console.out(
      UpdateJSON.render(
        [], results: task.selection.map { .notBegun(project.manifest[$0]) }, status: status,
        manifest: project.manifest))
  }
}

extension TargetResult {
  /// A target of a run that could not begin.
  static func notBegun(_ target: Target) -> TargetResult {
    var result = TargetResult(id: target.id, name: target.name, outcome: .skipped, output: target.output)
    result.skipped = .runStopped
    result.isOptional = target.isOptional
    return result
  }
}
