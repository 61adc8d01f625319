import ArgumentParser

struct OutdatedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outdated",
    abstract: "Show the targets that are stale or have moved; write nothing.",
    discussion: """
      Asks the same questions as `plan` and has the same exit statuses. It also lists targets that could not be checked.

      Examples:
        syncmake outdated               what is stale, or differs from the lock
        syncmake outdated --exit-code   exit 1 if something is stale
        syncmake outdated --json        a plan document with these targets only
        syncmake outdated --shard 3/16  those of this shard
      """)

  @OptionGroup(title: "Targets") var selection: SelectionOptions
  @OptionGroup(title: "Targets") var shards: ShardOptions
  @OptionGroup(title: "Decisions") var decisions: DecisionOptions
  @OptionGroup(title: "Location and output") var project: ProjectOptions

  @Flag(help: "Print one JSON document at the end: a plan whose summary counts every selected target.")
  var json = false

  @Flag(help: "Exit 1 if something is stale, or may be.")
  var exitCode = false

  @OptionGroup var removals: RemovalOptions
  @OptionGroup var temporary: TemporaryOptions
  /// Without effect: nothing is uploaded.
  @OptionGroup var uploads: UploadOptions

  func run() throws {
    try Planned(
      project, selection, decisions, printsJSON: json, temporary.implied(by: shards), shards,
      listsOutdatedOnly: true, allowsRemovals: removals.allowRemovals
    ).perform(exitCode ? .showAndJudge : .show)
  }
}
