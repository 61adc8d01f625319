import Execution
import ManifestParsing
import Platform
import Reporting
import SyncModel

/// The user's configuration as it was read for one command.
struct UserSettings {
  private(set) var configuration = UserConfiguration()
  /// The file; `nil` if there is none.
  private(set) var place: ConfigurationPlace?
  /// What it says about requests; one for all requests of the command.
  private(set) var routes = RequestRoutes()
  /// What the parts of the command learn of the cache on a server.
  private let remoteHealth = RemoteCacheHealth()
  /// What they have told of the cache on this machine.
  private let cacheTrouble = FirstTrouble()
  /// Signs what is recorded in caches; `nil` for nothing.
  private var signer: CacheSigner?
  /// What an untrusted manifest may do; `nil` for one that is trusted.
  var policy: RunPolicy?

  /// Nothing is configured.
  init() {}

  /// Reads the configuration; every problem is printed, and the exit status is 3.
  ///
  /// `remote` is of a command that uses a cache on a server.
  init(
    _ options: UserOptions, _ style: TextStyle, _ ci: CIPlatform? = nil, remote: RemoteCacheOptions? = nil
  ) throws {
    let diagnostics: [Diagnostic]
    do throws(ConfigurationPlace.Problem) { diagnostics = try read(option: options.config) } catch {
      throw Failure.manifest(error.message, error.hint, style, ci)
    }
    guard diagnostics.isEmpty else {
      Console.err(DiagnosticText.render(diagnostics, style: style))
      ci.annotate(diagnostics)
      throw Failure.told(3)
    }
    if let problem = remote?.problemOfVariable { throw Failure.manifest(problem, nil, style, ci) }
    if let remote {
      routes.storeKeys = configuration.storeKeys(
        remote.named, variable: Environment.text, environment: ProcessVariables.all)
    }
  }

  /// Whether there is none to read, and no key: known without making any settings.
  static var areAbsent: Bool {
    guard Environment.text(SigningKey.variable) == nil else { return false }
    return ConfigurationPlace(option: nil)?.isAbsent ?? true
  }

  /// The usual one without a message, for the quick way of a run; `nil` if it cannot be used.
  static func quick() -> UserSettings? {
    // A pipe can be read once only, and the full path may have to. The file of a key may be one.
    if SigningKey.isReadOnce { return nil }
    if let place = ConfigurationPlace(option: nil), !place.mayBeReadTwice { return nil }
    var settings = UserSettings()
    return (try? settings.read(option: nil))?.isEmpty == true ? settings : nil
  }

  private mutating func read(option: String?) throws(ConfigurationPlace.Problem) -> [Diagnostic] {
    signer = try SigningKey.read()
    guard let place = ConfigurationPlace(option: option),
      let content = try place.read(limit: ConfigurationParser.maximumSize)
    else { return [] }
    let parse = ConfigurationParser.parse(content.bytes, fileName: place.path, path: place.resolve)
    guard let configuration = parse.configuration else { return parse.diagnostics }
    if !configuration.credentials.isEmpty, let problem = place.distrust(content) { throw problem }
    self.place = place
    self.configuration = configuration
    routes = configuration.routes(
      environment: ProcessVariables.all(), searchPath: Environment.text("PATH") ?? "")
    return []
  }

  /// Targets in progress at once, if `option` does not say.
  func jobs(_ option: Int?) -> Int { configuration.jobs(option) }

  /// The cache that the option, the environment or the configuration names; `nil` for none.
  func cache(_ options: CacheOptions) -> CacheSettings? {
    configuration.cacheSettings(options.named, cacheTrouble)
  }

  /// The cache on a server that the option, the environment or the configuration names; `nil` for none.
  func remoteCache(_ options: RemoteCacheOptions) -> RemoteCacheSettings? {
    configuration.remoteCacheSettings(options.named, remoteHealth, keys: routes.storeKeys)
  }

  /// The settings of a command whose options say `jobs` and name caches, if they do.
  func settings(
    jobs: Int?, cache options: CacheOptions? = nil, remote: RemoteCacheOptions? = nil
  ) -> RunSettings {
    var settings = RunSettings.process(jobs: self.jobs(jobs))
    settings.routes = routes
    settings.policy = policy
    settings.caches.local = options.flatMap(cache)
    settings.caches.remote = remote.flatMap(remoteCache)
    settings.caches.local?.signer = signer
    settings.caches.remote?.signer = signer
    return settings
  }
}
