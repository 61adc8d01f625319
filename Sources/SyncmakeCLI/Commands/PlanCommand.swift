import ArgumentParser
import Execution
import Planning
import Reporting
import SyncModel

import enum Syncmake.LockManner

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what a run would do; write nothing.",
    discussion: """
      Examples:
        syncmake plan                  everything, with the reason for each target
        syncmake plan --exit-code      for scripts: exit 1 if something is stale
        syncmake plan --offline        without requests
        syncmake plan --json genes     one target, for scripts
        syncmake plan --shard 3/16     what this shard would do
        syncmake plan --shards 16      how the targets are divided
      """)

  @OptionGroup(title: "Targets") var selection: SelectionOptions
  @OptionGroup(title: "Targets") var shards: ShardOptions
  @OptionGroup(title: "Decisions") var decisions: DecisionOptions
  @OptionGroup(title: "Location and output") var project: ProjectOptions

  @Option(
    name: .customLong("shards"),
    help: ArgumentHelp(
      "Show how many targets each of so many shards has; plan nothing. Also size:16 and host:16.",
      valueName: "n"))
  var allShards: String?

  @Flag(help: "Print one JSON document at the end.")
  var json = false

  @Flag(help: "Exit 1 if something is stale, or may be.")
  var exitCode = false

  @OptionGroup var removals: RemovalOptions
  @OptionGroup var temporary: TemporaryOptions
  /// Without effect: nothing is uploaded.
  @OptionGroup var uploads: UploadOptions

  func validate() throws {
    guard let allShards else { return }
    if shards.shard != nil { throw ValidationError("--shards shows all shards, and --shard is one of them") }
    if exitCode { throw ValidationError("--shards plans nothing, so --exit-code has nothing to judge") }
    _ = try ShardOptions.all(allShards)
  }

  func run() throws { try run(nil) }

  /// `lists` are what the quick way has asked.
  func run(_ lists: AskedLists?) throws {
    if let allShards {
      let (division, total) = try ShardOptions.all(allShards)
      return try ShardTable(project, selection, decisions).show(
        total, by: division, printsJSON: json, temporary)
    }
    let planned = try Planned(
      project, selection, decisions, printsJSON: json, temporary.implied(by: shards), shards,
      allowsRemovals: removals.allowRemovals, lists: lists)
    try planned.perform(
      exitCode ? .showAndJudge : .show)
  }
}

/// The common part of `plan`, `outdated`, `run -n` and `run -q`; performed once.
///
/// A class, since copies of the project in values make the program larger.
final class Planned {
  enum Manner {
    case show, showAndJudge
    /// `-q`: only the exit status speaks.
    case question
  }

  private let interruption = Interruption()
  private var project: Project
  private let chosen: [TargetID]
  private var settings: RunSettings
  private let decisions: DecisionOptions
  private let printsJSON: Bool
  private let temporary: TemporaryOptions
  private let listsOutdatedOnly: Bool

  init(
    _ options: ProjectOptions, _ selection: SelectionOptions, _ decisions: DecisionOptions,
    printsJSON: Bool, _ temporary: TemporaryOptions, _ shards: ShardOptions? = nil,
    listsOutdatedOnly: Bool = false,
    allowsRemovals: Bool = false, isQuiet: Bool = false, lists: AskedLists? = nil,
    ci: CIPlatform? = .detected
  ) throws {
    project = try Project(options, decisions.user, remote: decisions.remoteCaching, ci: ci)
    if let shards { try project.divideHosts(shards) }
    var values = decisions.valueOrder(
      shards?.takesPresentValues == true ? .present : .plan, names: selection.targets, tags: selection.tag,
      project)
    let valueSettings = values.settings
    values.settings = {
      var settings = try valueSettings($0)
      settings.questions.asksWhatMoved = !isQuiet
      settings.questions.asksHowLarge = !isQuiet
      return settings
    }
    do {
      try project.expand(
        values: values, settings: decisions.askingSettings(project), keeps: false,
        allowsRemovals: allowsRemovals,
        // Only a table shows what has moved.
        locked: { isQuiet ? .locked($0) : .compared($0) },
        naming: selection.targets + decisions.assumeOld + decisions.assumeNew, early: lists, interruption,
        isQuiet: isQuiet)
    } catch let fault as RunFault {
      throw Failure.fault(fault, project, interruption)
    }
    var chosen = try project.select(selection)
    var settings = try decisions.settings(project)
    if let shards { try project.enter(shards, selection, &chosen, &settings) }
    chosen = project.withEarlier(chosen)
    settings.earlier.planned = project.planned
    (self.chosen, self.settings) = (chosen, settings)
    self.decisions = decisions
    self.printsJSON = printsJSON
    self.temporary = temporary
    self.listsOutdatedOnly = listsOutdatedOnly
  }

  func perform(_ manner: Manner) throws {
    try project.readLock(
      decisions.lockManner(orElse: manner == .question ? .quiet : .warn), for: chosen)
    // Facts that only the table shows need no request.
    settings.questions.asksWhatMoved = manner != .question
    settings.questions.asksHowLarge = manner != .question
    // Nor does the answer depend on who gives the bytes.
    if manner == .question { settings.caches.remote = nil }
    try performAsSet(manner)
  }

  private func performAsSet(_ manner: Manner) throws {
    let plan: Plan
    do {
      plan = try PlanMaker.plan(
        chosen, in: project.workspace, settings: settings, stop: interruption.stop, report: report(manner))
    } catch {
      throw Failure.fault(error, project, interruption)
    }
    if manner != .question { show(plan) }
    // A failed check of an optional target is a warning, as its failure in a run would be.
    let failed = plan.targets.filter { $0.action == .error && !project.manifest[$0.id].isOptional }
    if !failed.isEmpty {
      throw Failure.failed(isTemporary: RunJudgement.isTemporary(failures: failed.map(\.failure)), temporary)
    }
    if manner != .show, plan.hasWork { throw ExitCode(1) }
  }

  private func show(_ plan: Plan) {
    let listed = listsOutdatedOnly ? plan.outdated : plan
    if printsJSON {
      Console.out(PlanJSON.render(listed, of: plan, manifest: project.manifest, shard: project.shard))
    } else if project.verbosity != .silent {
      Console.out(
        PlanText.table(
          listed, of: plan, style: project.outStyle, secrets: project.secrets,
          showsCodes: project.verbosity == .verbose, shard: project.shard?.shard,
          place: project.manifest.place))
    }
    if project.verbosity != .silent {
      let unlocked = LockText.unlockedEntries(of: project.manifest)
      let moved = LockText.movedValues(of: project.manifest)
      for (warning, hint) in unlocked + moved {
        Console.err(MessageText.warning(warning, hint: hint, style: project.style, secrets: project.secrets))
      }
    }
    Console.err(PlanText.problems(plan, manifest: project.manifest, style: project.style))
    project.ci.annotate(plan, project)
  }

  private func report(_ manner: Manner) -> (RunEvent) -> Void {
    manner == .question ? { _ in } : project.tellOfLooking
  }
}
