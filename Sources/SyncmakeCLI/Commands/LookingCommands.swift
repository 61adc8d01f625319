import ArgumentParser
import Execution
import ManifestParsing
import Planning
import Platform
import Reporting
import SyncModel

import enum Syncmake.LockManner

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of the outputs; use no network.",
    usage: "syncmake status [<options>] [<target> ...]",
    discussion: """
      Examples:
        syncmake status          which outputs are present, missing or modified
        syncmake status --json   with digests and validators, for scripts
      """)

  @OptionGroup var project: ProjectOptions
  @OptionGroup var selection: SelectionOptions

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() throws {
    var opened = try Project(project)
    try opened.expandStoredLists()
    let chosen = try opened.select(selection)
    if selection.targets.isEmpty, selection.tag.isEmpty || chosen.isEmpty { opened.tellUnlisted() }
    try opened.readLock(.warn, for: chosen)
    let statuses: [TargetStatus]
    do {
      statuses = try StatusReader.statuses(chosen, in: opened.workspace, report: opened.tellOfLooking)
    } catch {
      throw Failure.fault(error, opened, Interruption())
    }
    Console.out(
      json
        ? StatusJSON.render(statuses, manifest: opened.manifest)
        : StatusText.render(
          statuses, manifest: opened.manifest, style: opened.outStyle, now: SystemClock.now())
    )
  }
}

struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the manifest, and the lock file if there is one; use no network.",
    usage: "syncmake validate [<options>]",
    discussion: """
      Prints every problem with its line. The exit status is 3 if there is a problem.

      Examples:
        syncmake validate                   before a commit
        syncmake validate --locked          the lock must match, too; for CI
        syncmake validate -f other.yaml     another manifest
      """)

  @OptionGroup var project: ProjectOptions

  @Flag(help: "Exit 3 if syncmake.lock is missing, lacks a target or contradicts the manifest.")
  var locked = false

  func run() throws {
    var opened = try Project(project)
    // Only a lock says without requests which targets a list makes.
    try opened.expandByLock()
    var words = HintWords.at(opened.manifest.place)
    // This command has no --frozen.
    words.locked = "--locked"
    try opened.readLock(locked ? .strict : .warn, for: opened.manifest.targets.map { $0.id }, words)
    if opened.verbosity != .silent {
      Console.out(ValidationText.valid(opened.manifest))
    }
    opened.finish()
    CommandLineProgram.endInSuccess()
  }
}

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Show why a target is fresh or stale, rule by rule.",
    discussion: """
      Examples:
        syncmake explain genes               asks the server if necessary
        syncmake explain genes --offline     without asking
        syncmake explain genes --shard 3/16  also which of the shards owns it
      """)

  @OptionGroup var project: ProjectOptions
  @OptionGroup var decisions: DecisionOptions
  @OptionGroup var shards: ShardOptions
  @OptionGroup var removals: RemovalOptions

  @Argument(help: ArgumentHelp("The target.", valueName: "target"), completion: .target)
  var target: String

  func run() throws {
    let interruption = Interruption()
    var opened = try Project(project, decisions.user, remote: decisions.remoteCaching)
    do {
      try opened.expand(
        values: decisions.valueOrder(.plan, names: [target], opened),
        settings: decisions.askingSettings(opened), keeps: false,
        allowsRemovals: removals.allowRemovals, locked: { .compared($0) }, interruption)
      let chosen = try opened.select(names: [target])
      try opened.readLock(decisions.lockManner(orElse: .warn), for: chosen)
      let members = try opened.members([target])
      // An entry that had several outputs has several targets, of which one has its name.
      let own = opened.manifest.targets.first { $0.name.text == target }?.id
      guard let id = own ?? (members.count == 1 ? members.first : nil) else {
        Console.err(
          MessageText.error(
            "\(target) is a group of \(members.count) targets", hint: "explain one of them",
            style: opened.style, secrets: opened.secrets))
        throw ExitCode(3)
      }
      var settings = try decisions.settings(opened)
      settings.earlier.planned = opened.planned
      var explanation = try PlanMaker.explain(
        id, among: chosen, in: opened.workspace, settings: settings,
        stop: interruption.stop, report: opened.tellOfLooking)
      if let (shard, _) = try shards.found() {
        let partition = try opened.partition(
          opened.select(names: []), shard.total, by: shard.division)
        explanation.owner = (partition, partition.owner(of: id))
      }
      Console.out(
        ExplainText.render(
          explanation, style: opened.outStyle, secrets: opened.secrets, place: opened.manifest.place))
      if explanation.planned.action == .error { throw ExitCode(2) }
    } catch let fault as RunFault {
      throw Failure.fault(fault, opened, interruption)
    }
  }
}

struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph", abstract: "Print the dependency graph.",
    usage: "syncmake graph [<options>]",
    discussion: """
      Examples:
        syncmake graph | dot -Tsvg > graph.svg   a drawing by Graphviz
        syncmake graph --format mermaid          for Markdown with diagrams
        syncmake graph --format json             for scripts
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case dot, mermaid, json
  }

  @OptionGroup var project: ProjectOptions

  @Option(help: ArgumentHelp("dot, mermaid or json.", valueName: "format"))
  var format: Format = .dot

  func run() throws {
    var opened = try Project(project)
    try opened.expandStoredLists()
    switch format {
    case .dot: Console.out(GraphText.dot(opened.workspace.graph, manifest: opened.manifest))
    case .mermaid: Console.out(GraphText.mermaid(opened.workspace.graph, manifest: opened.manifest))
    case .json: Console.out(GraphText.json(opened.workspace.graph, manifest: opened.manifest))
    }
  }
}

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the manifest's JSON Schema.",
    discussion: """
      An editor uses the schema if the manifest begins with a line such as

        # yaml-language-server: $schema=syncmake.schema.json
      """)

  func run() { Console.out(ManifestSchema.text) }
}
