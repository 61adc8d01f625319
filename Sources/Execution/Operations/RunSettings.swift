package import Planning
package import SyncModel

/// The options of a run or a plan.
package struct RunSettings: Sendable {
  /// The default of ``jobs``.
  package static let usualJobs = 16

  /// Targets in progress at once, 1 or more.
  package var jobs: Int
  /// The number of additional targets that may wait for the disk; each has two open files. 0 or more.
  package var mostClosing: Int
  /// `-k`
  package var keepsGoing: Bool
  /// `-B`
  package var forcesAll: Bool
  /// `-o`
  package var assumedOld: Set<TargetID>
  /// `-W`
  package var assumedNew: Set<TargetID>
  /// In a shard: the targets that two shards or more need, and the seed that brings them up to date.
  package var leftToSeed: Set<TargetID> = []
  /// The seed of ``leftToSeed``; `nil` outside of shards.
  package var seed: Shard?
  /// `--offline` or `--frozen`: no server is asked.
  package var isOffline: Bool
  /// `-t`, which fetches nothing: a list that a run has stored is not asked again.
  package var takesStoredLists = false
  /// `--overwrite`
  package var overwritesEdits: Bool
  /// `false` with `--no-wait`.
  package var waitsForLock: Bool
  /// Whether ``RunEvent/received(_:_:)`` and ``RunEvent/tick`` are wanted.
  package var reportsProgress = false
  /// Whether ``RunEvent/began(_:)``, ``RunEvent/requested(_:_:)``, ``RunEvent/stepped(_:_:)``,
  /// ``RunEvent/publishing(_:)`` and ``RunEvent/published(_:)`` are wanted.
  package var reportsTimes = false
  /// How many connections were made, and told of, while lists were asked.
  package var connectionsBefore = 0
  /// Worker threads that hash, inflate and write.
  package var workers: Int
  /// Whether `gunzip` must use zlib even if a faster library is installed.
  package var unpacksWithZlib = false
  /// `MAKEFLAGS`, with the place of make's jobserver; `nil` outside of make.
  package var makeFlags: String?
  /// A factor on every timeout and pause; 1 outside tests.
  package var timeScale: Double
  /// Proxies, certificates, the netrc file, and what the program calls itself.
  package var network: NetworkSettings
  /// What the user's configuration says about requests.
  package var routes = RequestRoutes()
  /// What an untrusted manifest may do, one for the whole command; `nil` for a manifest that is trusted.
  package var policy: RunPolicy?
  /// Whether the manifest is a stranger's (`--untrusted`, `--policy`): caches are only read.
  package var isUntrusted: Bool { policy != nil }
  /// Whether each result is to carry its ``TargetResult/pin``.
  package var collectsPins = false
  /// Whether new outputs stay hidden until all targets have succeeded, as an `update` wants it.
  package var withholds = false
  /// Whether a plan asks the sources of pinned targets if they have moved.
  package var asksWhatMoved = true
  /// Whether a plan fails if a source does not tell whether it has moved, as for `update -n`.
  package var insistsOnWhatMoved = false
  /// What became of targets that were brought up to date before the whole manifest was known; they are not looked at again.
  package var ended: [TargetName: TargetResult] = [:]
  /// The lines of a plan of targets that were planned before, in the same way.
  package var planned: [TargetName: PlannedTarget] = [:]
  /// The user's cache; `nil` for none.
  package var cache: CacheSettings?
  /// The user's cache on a server; `nil` for none.
  package var remoteCache: RemoteCacheSettings?
  /// What an earlier part of the same run has had from them.
  package var cacheBefore = CacheAccount()
  /// Whether a plan asks the sources of targets that are stale anyway how much there is to fetch.
  package var asksHowLarge = false

  /// The defaults are those of `syncmake run` without options; fields that are not named here start with their own.
  package init(
    jobs: Int = usualJobs, mostClosing: Int = 256, keepsGoing: Bool = false, forcesAll: Bool = false,
    assumedOld: Set<TargetID> = [],
    assumedNew: Set<TargetID> = [], isOffline: Bool = false, overwritesEdits: Bool = false,
    waitsForLock: Bool = true, workers: Int = 2, timeScale: Double = 1,
    network: NetworkSettings = NetworkSettings()
  ) {
    self.jobs = jobs
    self.mostClosing = mostClosing
    self.keepsGoing = keepsGoing
    self.forcesAll = forcesAll
    self.assumedOld = assumedOld
    self.assumedNew = assumedNew
    self.isOffline = isOffline
    self.overwritesEdits = overwritesEdits
    self.waitsForLock = waitsForLock
    self.workers = workers
    self.timeScale = timeScale
    self.network = network
  }
}

extension RunSettings {
  /// The number of targets that can be in progress with so many free descriptors, 1 or more.
  ///
  /// A target adds a connection, two files and the folders of their paths.
  package static func mostJobs(_ free: Int) -> Int { max(1, free / 6) }

  /// The number of targets that can wait for the disk beside so many jobs, each with two files, with so many free
  /// descriptors.
  ///
  /// Two thousand keep requests going while a group is published; more gain nothing.
  package static func mostClosing(beside jobs: Int, _ free: Int) -> Int {
    max(0, min(2000, (free - 6 * jobs) / 2))
  }
}
