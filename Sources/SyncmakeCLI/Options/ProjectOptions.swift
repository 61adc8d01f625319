import ArgumentParser
import Execution
import ManifestParsing
import SyncModel

/// Options of every command: the manifest's place, and the output.
struct ProjectOptions: ParsableArguments {
  @OptionGroup var place: PlaceOptions

  @Option(
    help: ArgumentHelp("The state folder (default: .syncmake beside the manifest).", valueName: "dir"),
    completion: .directory)
  var stateDir: String?

  @Flag(
    name: .shortAndLong,
    help: "Print only errors, the results of status, list, explain and graph, and what --json asks for.")
  var silent = false

  @Flag(
    name: .shortAndLong,
    help:
      "Print each request, its status and the reason of each decision; status, list, graph and validate have none."
  )
  var verbose = false

  @Option(help: ArgumentHelp("Colours: auto, always or never.", valueName: "when"))
  var color: ColorChoice = .auto

  @OptionGroup var trust: PolicyOptions

  func validate() throws {
    if stateDir == "" { throw ValidationError("--state-dir needs a folder's name") }
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

  /// Whether to redraw lines; never if standard error is not a terminal.
  var drawsLines: Bool {
    switch self {
    case .bar: Console.errIsTerminal
    case .auto: Console.errIsTerminal && !["dumb", ""].contains(Environment.variable("TERM") ?? "")
    case .plain, .none: false
    }
  }
}

/// How a failure that may pass ends the program.
struct TemporaryOptions: ParsableArguments {
  @Flag(help: "Exit 75 instead of 2 if every failure is temporary, such as a timeout.")
  var exitTemporary = false

  /// Every failure ends in 2.
  static var none: TemporaryOptions {
    var options = TemporaryOptions()
    options.exitTemporary = false
    return options
  }

  /// A shard's scheduler runs it again.
  func implied(by shards: ShardOptions) -> TemporaryOptions {
    var options = self
    options.exitTemporary = exitTemporary || shards.shard != nil
    return options
  }
}

/// Which cache is used.
struct CacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use the cache in this folder, where a run takes downloads from and keeps them; off: none (default: SYNCMAKE_CACHE, or the configuration's).",
      valueName: "dir|off"),
    completion: .directory)
  var cache: String?

  func validate() throws {
    if cache == "" { throw ValidationError("--cache needs a folder's name, or off") }
  }

  /// The folder that the option or the environment names, or `off`; `nil` if neither does.
  var named: String? {
    // No shell has read a variable, or what follows `--cache=`. Without a home folder it stays as it is, and a run warns.
    (cache ?? Environment.text(Self.variable)).map {
      HomePath.resolve($0, home: HomePath.home(Environment.text)) ?? $0
    }
  }

  static let variable = "SYNCMAKE_CACHE"
}

/// Which cache on a server is used.
struct RemoteCacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use the cache on this server, or in this bucket (s3://bucket/prefix); off: none (default: SYNCMAKE_REMOTE_CACHE, or the configuration's).",
      valueName: "url|off"))
  var remoteCache: String?

  func validate() throws {
    if let remoteCache, let problem = Self.problem(of: remoteCache, "--remote-cache") {
      throw ValidationError(problem)
    }
  }

  /// What is wrong with the variable, if it counts; it is a part of the configuration and not of the command line.
  var problemOfVariable: String? {
    guard remoteCache == nil, let text = Environment.text(Self.variable) else { return nil }
    return Self.problem(of: text, Self.variable)
  }

  /// Whether `option`, or the environment without one, names a cache if it names anything.
  static func isValid(_ option: String?) -> Bool {
    (option ?? Environment.text(variable)).map { RemoteCacheRule.address($0) != nil } ?? true
  }

  private static func problem(of text: String, _ name: String) -> String? {
    guard RemoteCacheRule.address(text) == nil else { return nil }
    if S3Location.isMeant(by: text) {
      do throws(S3LocationFault) { _ = try S3Location(text) } catch {
        return "the address of \(name) \(error.text); \(error.hint)"
      }
    }
    return
      "\(name) needs the address of a cache, without credentials, ? and #, or off: https://cache.example/sm"
  }

  /// The address that the option or the environment names, or `off`; `nil` if neither does.
  var named: String? { (remoteCache ?? Environment.text(Self.variable)).flatMap(RemoteCacheRule.address) }

  static let variable = "SYNCMAKE_REMOTE_CACHE"
}

/// How long uploads are waited for.
struct UploadOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "At the end of a run, wait at most this long for uploads to the cache on a server (default: 30s).",
      valueName: "duration"))
  var cacheWait: String?

  func validate() throws {
    if let cacheWait, UnitValue.duration(cacheWait) == nil {
      throw ValidationError("the value of --cache-wait must be a duration such as 30s, not '\(cacheWait)'")
    }
  }

  /// Sets what the option says.
  func apply(to settings: inout RunSettings) {
    if let time = cacheWait.flatMap(UnitValue.duration) { settings.caches.remote?.longestWait = time }
  }
}

/// Which targets are meant.
struct SelectionOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Targets or groups (default: all).", valueName: "target"), completion: .targets)
  var targets: [String] = []

  @Option(
    help: ArgumentHelp(
      "Select targets with this tag, and (except for clean) the targets that they need; may be repeated.",
      valueName: "tag"),
    completion: .tags)
  var tag: [String] = []
}

/// Options that change a verdict, in a run and in a plan.
struct DecisionOptions: ParsableArguments {
  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp("Targets in progress at once (default: the configuration's, else 16).", valueName: "n")
  )
  var jobs: Int?

  @Flag(name: [.customShort("B"), .customLong("always-make")], help: "Treat every selected target as stale.")
  var alwaysMake = false

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("assume-old")],
    help: ArgumentHelp("Treat this target as fresh; may be repeated.", valueName: "target"),
    completion: .targets)
  var assumeOld: [String] = []

  @Option(
    name: [.customShort("W", allowingJoined: true), .customLong("assume-new")],
    help: ArgumentHelp(
      "Fetch this target again, and treat targets that need it as stale; may be repeated.",
      valueName: "target"),
    completion: .targets)
  var assumeNew: [String] = []

  @Flag(help: "Use no network; report targets that need it.")
  var offline = false

  @Flag(help: "Replace locally edited outputs.")
  var overwrite = false

  @Flag(help: "Exit 3 if syncmake.lock is missing, lacks a target or contradicts the manifest.")
  var locked = false

  @Flag(help: "Same as --locked --offline.")
  var frozen = false

  @OptionGroup var user: UserOptions
  @OptionGroup var caching: CacheOptions
  @OptionGroup var remoteCaching: RemoteCacheOptions

  func validate() throws { try JobsRule.validate(jobs) }
}
