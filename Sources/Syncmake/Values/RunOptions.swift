import Execution
import Platform
import SyncModel

/// How a run or a plan works; the defaults are those of `syncmake run`.
public struct RunOptions: Sendable, Equatable {
  /// Targets in progress at once; `nil` for what ``configuration`` says, else 16.
  public var jobs: Int?
  /// Whether a failure leaves targets running that do not depend on the failed one.
  public var keepsGoing = false
  /// Whether every selected target is treated as stale.
  public var forcesAll = false
  /// Whether no request is sent; a target that needs the network fails.
  public var isOffline = false
  /// Whether files that were edited locally are replaced.
  public var overwritesEdits = false
  /// Whether another run on the same state folder is waited for; otherwise the error is ``SyncError/Code/busy``.
  public var waits = true
  /// The folder of a cache that runs share, also those of other roots; `nil` for that of ``configuration``, if it has one,
  /// and `off` for none. The first run that puts something there makes it. A relative path begins at the process's current
  /// folder when a run begins.
  public var cache: String?
  /// What the user's configuration says; `nil` if there is none.
  public var configuration: Configuration?
  /// How long a run waits at its end for what it puts into a cache on a server.
  public var cacheWait: Duration = .seconds(30)
  /// Whether a lock, `syncmake.lock` in the root, must be there and fit the manifest.
  public var requiresLock = false
  /// Whether ``Event/progress(target:received:total:)`` is wanted.
  public var reportsProgress = false

  /// The defaults.
  public init() {}

  /// `environment` gives proxies, certificates, and what helpers see; the budget of a policy is that of these settings.
  func settings(_ environment: [String: String], _ trust: Trust = .full) -> RunSettings {
    let user = configuration?.values ?? UserConfiguration()
    let free = OpenFiles.free(mayRaise: false)
    let jobs = max(1, min(user.jobs(jobs), RunResources.mostJobs(free)))
    var settings = RunSettings(
      network: NetworkSettings(userAgent: LibraryVersion.userAgent) { environment[$0] })
    settings.resources.jobs = jobs
    settings.resources.mostClosing = RunResources.mostClosing(beside: jobs, free)
    settings.course.keepsGoing = keepsGoing
    settings.course.waitsForLock = waits
    settings.overrides.forcesAll = forcesAll
    settings.overrides.overwritesEdits = overwritesEdits
    settings.questions.isOffline = isOffline
    settings.reports.hasProgress = reportsProgress
    settings.routes = user.routes(
      environment: environment.map { "\($0)=\($1)" }, searchPath: environment["PATH"] ?? "")
    settings.caches.local = user.cacheSettings(cache, FirstTrouble())
    settings.routes.storeKeys = user.storeKeys(nil) { name in
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    } environment: {
      environment.map { "\($0)=\($1)" }
    }
    settings.caches.remote = user.remoteCacheSettings(
      nil, RemoteCacheHealth(), keys: settings.routes.storeKeys)
    settings.caches.remote?.longestWait = max(.zero, cacheWait)
    settings.policy = trust.begin()
    return settings
  }
}
