import ArgumentParser
import Execution

/// Options of every command: where the manifest is, and how to talk.
struct ProjectOptions: ParsableArguments {
  @OptionGroup var place: PlaceOptions

  @Option(
    help: ArgumentHelp("Keep the state here (default: .syncmake beside the manifest).", valueName: "dir"),
    completion: .directory)
  var stateDir: String?

  @Flag(
    name: .shortAndLong,
    help: "Print errors only; status, explain and graph print their results all the same.")
  var silent = false

  @Flag(name: .shortAndLong, help: "Print each request, its status and the reason of each decision.")
  var verbose = false

  @Option(help: ArgumentHelp("Colours: auto, always or never.", valueName: "when"))
  var color: ColorChoice = .auto

  func validate() throws {
    if stateDir == "" { throw ValidationError("--state-dir takes a folder's name") }
  }
}

enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}

/// How progress is shown.
enum ProgressChoice: String, ExpressibleByArgument, CaseIterable {
  /// ``bar`` on a terminal that can move its cursor, else ``plain``.
  case auto
  /// Lines that are drawn over and over while targets are in progress, and a line for each that is finished.
  case bar
  /// A line for each target that is finished.
  case plain
  /// Only the last line, and what went wrong.
  case none

  /// Whether lines are to be drawn over and over; never where standard error is no terminal.
  var drawsLines: Bool {
    switch self {
    case .bar: Console.errIsTerminal
    case .auto: Console.errIsTerminal && !["dumb", ""].contains(Surroundings.variable("TERM") ?? "")
    case .plain, .none: false
    }
  }
}

/// How a failure that may pass ends the program.
struct TemporaryOptions: ParsableArguments {
  @Flag(help: "Exit 75 instead of 2 if every failure is of a kind that is retried, as a timeout is.")
  var exitTemporary = false
}

/// Which targets are meant.
struct SelectionOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Targets or groups (default: all).", valueName: "target"), completion: .targets)
  var targets: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only targets that bear the tag, and (save for clean) what they need; may be repeated.",
      valueName: "tag"),
    completion: .tags)
  var tag: [String] = []
}

/// What changes a verdict, in a run and in a plan alike.
struct DecisionOptions: ParsableArguments {
  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp("Targets in progress at once.", valueName: "n"))
  var jobs = RunSettings.usualJobs

  @Flag(name: [.customShort("B"), .customLong("always-make")], help: "Treat every selected target as stale.")
  var alwaysMake = false

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("assume-old")],
    help: ArgumentHelp("Take this target as fresh; may be repeated.", valueName: "target"),
    completion: .targets)
  var assumeOld: [String] = []

  @Option(
    name: [.customShort("W", allowingJoined: true), .customLong("assume-new")],
    help: ArgumentHelp(
      "Fetch this target again and take what needs it as stale; may be repeated.", valueName: "target"),
    completion: .targets)
  var assumeNew: [String] = []

  @Flag(help: "No network: what needs it is reported, not guessed.")
  var offline = false

  @Flag(help: "Let locally edited outputs be replaced.")
  var overwrite = false

  @Flag(help: "Exit 3 where syncmake.lock is missing, or lacks or contradicts a target of the manifest.")
  var locked = false

  @Flag(help: "Same as --locked --offline.")
  var frozen = false

  func validate() throws {
    guard jobs > 0 else { throw ValidationError("-j takes a number of 1 or more, not \(jobs)") }
  }
}
