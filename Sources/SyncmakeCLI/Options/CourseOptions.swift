import ArgumentParser

/// What a run does, and how it continues.
struct CourseOptions: ParsableArguments {
  @Flag(name: [.customShort("n"), .customLong("dry-run")], help: "Same as plan.")
  var dryRun = false

  @Flag(help: "With -n: exit 1 if something is stale, or may be.")
  var exitCode = false

  @Flag(
    name: .shortAndLong,
    help: "Write and print nothing; exit 0 if everything is fresh, 1 if something is stale, or may be.")
  var question = false

  @Flag(
    name: .shortAndLong,
    help: "Record the existing outputs as up to date; download nothing.")
  var touch = false

  @Flag(name: .shortAndLong, help: "After a failure, continue with targets that do not depend on it.")
  var keepGoing = false

  @Flag(help: "Remove outputs although a list with gone: remove has lost more than 10 % of its entries.")
  var allowRemovals = false

  @Flag(help: "Fail instead of waiting if another run holds this root.")
  var noWait = false

  @OptionGroup var uploads: UploadOptions
}

/// What a run prints about its results.
struct ResultOptions: ParsableArguments {
  @Flag(help: "Print one JSON document at the end.")
  var json = false

  @OptionGroup var display: DisplayOptions
}

/// How a run shows its progress.
struct DisplayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Progress: bar (drawn below the results), plain (a line for each result), none (only the end) or auto.",
      valueName: "how"))
  var progress: ProgressChoice = .auto
}

/// What looks at lists, or updates by them, without being a run.
struct RemovalOptions: ParsableArguments {
  @Flag(help: "Accept that a list with gone: remove has lost more than 10 % of its entries.")
  var allowRemovals = false
}
