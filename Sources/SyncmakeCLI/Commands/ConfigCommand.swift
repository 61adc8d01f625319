import ArgumentParser
import Execution
import Reporting
import SyncModel

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the user's settings, and where each comes from; use no network.",
    usage: "syncmake config [<options>]",
    discussion: """
      A setting comes from an option, from a variable, from the configuration or is the default. The configuration is the file that \
      --config or SYNCMAKE_CONFIG names, else syncmake/config.yaml in XDG_CONFIG_HOME or ~/.config. No helper is \
      started.

      Examples:
        syncmake config                        what is in force
        syncmake config --config ci.yaml -j4   what a run with them would use
        syncmake config --json                 for scripts
      """)

  @OptionGroup var user: UserOptions
  @OptionGroup var caching: CacheOptions
  @OptionGroup var remoteCaching: RemoteCacheOptions
  @OptionGroup var talk: TalkOptions

  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp("Targets in progress at once (default: the configuration's, else 16).", valueName: "n")
  )
  var jobs: Int?

  @Flag(help: "Print one JSON document.")
  var json = false

  func validate() throws { try JobsRule.validate(jobs) }

  func run() throws {
    let settings = try UserSettings(user, talk.style)
    if let problem = remoteCaching.problemOfVariable { throw Failure.manifest(problem, nil, talk.style) }
    var shown = ShownSettings(settings.configuration, file: settings.place?.path)
    shown.namedBy =
      switch settings.place?.origin {
      case .option: "--config"
      case .environment: ConfigurationPlace.variable
      case .usual, nil: nil
      }
    shown.jobs = jobs
    shown.usualJobs = RunResources.usualJobs
    shown.cache = caching.named.map { ($0, caching.cache == nil ? CacheOptions.variable : "--cache") }
    shown.remoteCache = remoteCaching.named.map {
      ($0, remoteCaching.remoteCache == nil ? RemoteCacheOptions.variable : "--remote-cache")
    }
    shown.usualCacheSize = CacheSettings.usualSize
    if json {
      Console.out(ConfigJSON.render(shown))
    } else if !talk.silent {
      Console.out(ConfigText.render(shown, style: talk.outStyle))
    }
  }
}

/// The rule for the value of `-j`.
enum JobsRule {
  static func validate(_ jobs: Int?) throws {
    guard let jobs, jobs < 1 else { return }
    throw ValidationError("the value of -j must be 1 or more, not \(jobs)")
  }
}
