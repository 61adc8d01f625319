import ArgumentParser

/// What a run does at all, and how it goes on.
struct CourseOptions: ParsableArguments {
  @Flag(name: [.customShort("n"), .customLong("dry-run")], help: "Same as plan.")
  var dryRun = false

  @Flag(
    name: .shortAndLong,
    help: "Write and print nothing; exit 0 when all is fresh, 1 when something is stale.")
  var question = false

  @Flag(
    name: .shortAndLong,
    help: "Record the files that are there as up to date; fetch nothing.")
  var touch = false

  @Flag(name: .shortAndLong, help: "After a failure go on with what does not depend on it.")
  var keepGoing = false

  @Flag(help: "Fail if another run holds this root, instead of waiting.")
  var noWait = false
}

/// What a run prints of what it did.
struct ResultOptions: ParsableArguments {
  @Flag(help: "Print one JSON document when done.")
  var json = false

  @Option(help: ArgumentHelp("Progress: auto, bar, plain or none.", valueName: "how"))
  var progress: ProgressChoice = .auto
}
