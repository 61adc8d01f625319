import Execution
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The environment variables that syncmake reads; no other module looks at the environment.
enum Environment {
  /// `nil` if the variable is not set; an empty one is "".
  static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  /// Set, and not empty.
  static func text(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// The variable is not set from now on, for helpers neither.
  static func remove(_ name: String) { _ = unsafe unsetenv(name) }

  /// The variable has this value from now on, for helpers, too.
  static func set(_ name: String, _ value: String) { _ = unsafe setenv(name, value, 1) }

  /// Proxies, certificates and the netrc file.
  static var network: NetworkSettings {
    NetworkSettings(userAgent: Version.userAgent, variable: variable)
  }

  /// The passwords in the proxies' URLs.
  static var proxyPasswords: [String] { network.proxyPasswords }

  /// The number of targets that can be in progress within the limit on open files, 1 or more.
  static var mostJobs: Int { RunResources.mostJobs(freeDescriptors) }

  /// The number of targets that can wait for the disk beside so many jobs, within the same limit.
  static func mostClosing(beside jobs: Int) -> Int {
    RunResources.mostClosing(beside: jobs, freeDescriptors)
  }

  private static let freeDescriptors = OpenFiles.free(mayRaise: true)

  /// A factor on every timeout and pause, for tests; 1 if it is unset or invalid.
  static var timeScale: Double {
    text("SYNCMAKE_TEST_TIME_SCALE").flatMap(Double.init).flatMap { $0 > 0 && $0 <= 1 ? $0 : nil } ?? 1
  }

  /// For tests: run without compiled snapshots.
  static var isWithoutSnapshots: Bool { text("SYNCMAKE_TEST_NO_SNAPSHOT") != nil }

  /// Whether to use colour, on a terminal and elsewhere (no-color.org, bixense.com/clicolors).
  static func wantsColour(_ choice: ColorChoice, isTerminal: Bool) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto:
      if text("NO_COLOR") != nil {
        false
      } else if let force = text("CLICOLOR_FORCE"), force != "0" {
        true
      } else {
        isTerminal && text("TERM") != "dumb"
      }
    }
  }
}

extension CallerFacts {
  /// This process.
  static var process: CallerFacts {
    CallerFacts(
      version: Version.number, proxyPasswords: Environment.proxyPasswords,
      allowsSnapshots: !Environment.isWithoutSnapshots, variable: Environment.variable)
  }
}

extension RunSettings {
  /// The settings that the environment and the limits of this process give, with at most `jobs` targets at once.
  static func process(jobs: Int) -> RunSettings {
    let jobs = min(jobs, Environment.mostJobs)
    var settings = RunSettings(network: Environment.network)
    settings.resources.jobs = jobs
    settings.resources.mostClosing = Environment.mostClosing(beside: jobs)
    settings.resources.timeScale = Environment.timeScale
    settings.resources.makeFlags = Environment.text("MAKEFLAGS")
    settings.resources.unpacksWithZlib = Environment.text("SYNCMAKE_INFLATE") == "zlib"
    return settings
  }
}
