import Execution
import SyncModel

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

  /// Proxies as curl reads them (its page ENVIRONMENT): `http_proxy` in lower case only, since a CGI
  /// program's `HTTP_PROXY` is a request's header.
  static var network: NetworkSettings {
    var network = NetworkSettings()
    network.userAgent = Version.userAgent
    network.httpProxy = text("http_proxy")
    network.httpsProxy = text("https_proxy") ?? text("HTTPS_PROXY")
    network.allProxy = text("all_proxy") ?? text("ALL_PROXY")
    network.noProxy = text("no_proxy") ?? text("NO_PROXY")
    network.caBundle = text("CURL_CA_BUNDLE") ?? text("SSL_CERT_FILE")
    network.caDirectory = text("SSL_CERT_DIR")
    network.netrcPath = text("NETRC") ?? text("HOME").map { $0 + "/.netrc" }
    return network
  }

  /// The passwords in the proxies' URLs, encoded and decoded: libcurl's messages may contain them.
  static var proxyPasswords: [String] {
    let network = network
    return [network.httpProxy, network.httpsProxy, network.allProxy].compactMap { $0 }.flatMap { proxy in
      guard let at = proxy.utf8.lastIndex(of: UInt8(ascii: "@")),
        // The scheme precedes the slashes; a password may contain colons, a user's name cannot.
        let userinfo = String(proxy.utf8[(proxy.firstPlace(of: "://")?.upperBound ?? proxy.startIndex)..<at]),
        let colon = userinfo.utf8.firstIndex(of: UInt8(ascii: ":")),
        let password = String(userinfo.utf8[userinfo.utf8.index(after: colon)...])
      else { return [String]() }
      return [password, WebURL.percentDecoded(password)].compactMap { $0 }
    }
  }

  /// The number of targets that can be in progress within the limit on open files, 1 or more.
  ///
  /// Files that the caller left open count. The run itself adds about twenty (folders, lock, state, pipes,
  /// libcurl's files); a target adds a connection, two files and the folders of their paths.
  static var mostJobs: Int { max(1, freeDescriptors / 6) }

  /// The number of targets that can wait for the disk beside so many jobs, each with two files, within the same
  /// limit.
  ///
  /// Two thousand keep requests going while a group is published; more gain nothing.
  static func mostClosing(beside jobs: Int) -> Int { max(0, min(2000, (freeDescriptors - 6 * jobs) / 2)) }

  #if canImport(Darwin)
    /// libcurl waits by select(2) there, which knows no descriptor from `FD_SETSIZE` on.
    private static let (enoughDescriptors, whereEnough) = (1024, 900)
  #else
    /// This number of open files is enough for any command.
    private static let (enoughDescriptors, whereEnough) = (10_000, 60_000)
  #endif

  /// The number of files that targets may have open; large if there is no relevant limit.
  ///
  /// A shell's limit is usually a thousand, on macOS 256, for programs that cannot handle more. Other programs may
  /// raise it to the hard limit (setrlimit(2)). This program does, because otherwise waiting for the disk delays
  /// requests.
  private static let freeDescriptors = {
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < enoughDescriptors else {
      return whereEnough
    }
    let open = (0..<Int32(limit.rlim_cur)).count { fcntl($0, F_GETFD) >= 0 }
    var raised = limit
    raised.rlim_cur = min(limit.rlim_max, rlim_t(enoughDescriptors))
    if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    return Int(limit.rlim_cur) - open - 20
  }()

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
    var settings = RunSettings(
      jobs: jobs, mostClosing: Environment.mostClosing(beside: jobs), timeScale: Environment.timeScale,
      network: Environment.network)
    settings.makeFlags = Environment.text("MAKEFLAGS")
    settings.unpacksWithZlib = Environment.text("SYNCMAKE_INFLATE") == "zlib"
    return settings
  }
}
