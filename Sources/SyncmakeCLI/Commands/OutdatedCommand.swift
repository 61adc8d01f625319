import ArgumentParser

struct OutdatedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outdated",
    abstract: "Print the targets of a plan that are stale or have moved; write nothing.",
    discussion: """
      The same questions as plan, and the same exit statuses. A target that could not be checked is listed, too.

      Examples:
        syncmake outdated               what a run would update, and what upstream has moved past the lock
        syncmake outdated --exit-code   1 when something is stale
        syncmake outdated --json        a plan document with these targets only
      """)

  @OptionGroup(title: "Targets") var selection: SelectionOptions
  @OptionGroup(title: "Decisions") var decisions: DecisionOptions
  @OptionGroup(title: "Place and talk") var project: ProjectOptions

  @Flag(help: "Print one JSON document when done: a plan, whose summary counts every selected target.")
  var json = false

  @Flag(help: "Exit 1 when something is stale.")
  var exitCode = false

  @OptionGroup var temporary: TemporaryOptions

  func run() throws {
    try Planned(
      project, selection, decisions, printsJSON: json, temporary, listsOutdatedOnly: true
    ).perform(exitCode ? .showAndJudge : .show)
  }
}
