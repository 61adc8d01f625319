package import Planning
package import SyncModel

/// The options of a run or a plan.
///
/// Those of `syncmake run` without options are the defaults of all parts.
package struct RunSettings: Sendable {
  /// What the work may use.
  package var resources = RunResources()
  /// What is done although the targets' rules say otherwise.
  package var overrides = RunOverrides()
  /// What servers are asked.
  package var questions = RunQuestions()
  /// What is reported besides each target's result.
  package var reports = ReportWishes()
  /// The course of the whole run.
  package var course = RunCourse()
  /// What an earlier part of the same command has done.
  package var earlier = EarlierPart()
  /// The user's caches.
  package var caches = CacheChoice()
  /// Proxies, certificates, the netrc file, and what the program calls itself.
  package var network: NetworkSettings
  /// What the user's configuration says about requests.
  package var routes = RequestRoutes()
  /// What an untrusted manifest may do, one for the whole command; `nil` for a manifest that is trusted.
  package var policy: RunPolicy?

  /// Whether the manifest is a stranger's (`--untrusted`, `--policy`): caches are only read.
  package var isUntrusted: Bool { policy != nil }

  /// All but `network` is as in a run without options.
  package init(network: NetworkSettings = NetworkSettings()) { self.network = network }
}

/// What a run may use of the machine.
package struct RunResources: Sendable {
  /// The default of ``jobs``.
  package static let usualJobs = 16

  /// Targets in progress at once, 1 or more.
  package var jobs = usualJobs
  /// The number of additional targets that may wait for the disk; each has two open files. 0 or more.
  package var mostClosing = 256
  /// Worker threads that hash, inflate and write.
  package var workers = 2
  /// Whether `gunzip` must use zlib even if a faster library is installed.
  package var unpacksWithZlib = false
  /// `MAKEFLAGS`, with the place of make's jobserver; `nil` outside of make.
  package var makeFlags: String?
  /// A factor on every timeout and pause; 1 outside tests.
  package var timeScale = 1.0

  /// Those of a run without options, outside of make.
  package init() {}

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

/// What a run does although the rules of the targets say otherwise.
package struct RunOverrides: Sendable {
  /// `-B`
  package var forcesAll = false
  /// `-o`
  package var assumedOld: Set<TargetID> = []
  /// `-W`
  package var assumedNew: Set<TargetID> = []
  /// `--overwrite`
  package var overwritesEdits = false
  /// In a shard: what it leaves to its seed; `nil` outside of shards.
  package var seedWork: SeedWork?
}

/// The targets that two shards or more need.
package struct SeedWork: Sendable {
  /// The shard that brings them up to date.
  package var seed: Shard
  package var targets: Set<TargetID>

  /// `targets` must be those that ``ShardPartition`` calls shared.
  package init(seed: Shard, targets: Set<TargetID>) {
    self.seed = seed
    self.targets = targets
  }

  /// The shard that brings the target up to date; `nil` if that is left to nobody.
  func seed(for id: TargetID) -> Shard? { targets.contains(id) ? seed : nil }
}

/// What a run or a plan asks servers.
package struct RunQuestions: Sendable {
  /// `--offline` or `--frozen`: no server is asked.
  package var isOffline = false
  /// `-t`, which fetches nothing: a list that a run has stored is not asked again.
  package var takesStoredLists = false
  /// Whether a plan asks the sources of pinned targets if they have moved.
  package var asksWhatMoved = true
  /// Whether a plan fails if a source does not tell whether it has moved, as for `update -n`.
  package var insistsOnWhatMoved = false
  /// Whether a plan asks the sources of targets that are stale anyway how much there is to fetch.
  package var asksHowLarge = false
}

/// What a run reports besides each target's result.
package struct ReportWishes: Sendable {
  /// Whether ``RunEvent/received(_:_:)`` and ``RunEvent/tick`` are wanted.
  package var hasProgress = false
  /// Whether ``RunEvent/began(_:)``, ``RunEvent/requested(_:_:)``, ``RunEvent/stepped(_:_:)``,
  /// ``RunEvent/publishing(_:)`` and ``RunEvent/published(_:)`` are wanted.
  package var hasTimes = false
  /// Whether each result is to carry its ``TargetResult/pin``.
  package var hasPins = false
}

/// The course of a whole run.
package struct RunCourse: Sendable {
  /// `-k`
  package var keepsGoing = false
  /// `false` with `--no-wait`.
  package var waitsForLock = true
  /// Whether new outputs stay hidden until all targets have succeeded, as an `update` wants it.
  package var withholds = false
}

/// What the part of a command has done that brings lists and values up to date before the whole manifest is known.
package struct EarlierPart: Sendable {
  /// What became of targets that were brought up to date; they are not looked at again.
  package var ended: [TargetName: TargetResult] = [:]
  /// What was brought up to date before the command began again: what is found as it was left then was not fresh before.
  package var updated: [TargetName: TargetResult] = [:]
  /// The lines of a plan of targets that were planned, in the same way.
  package var planned: [TargetName: PlannedTarget] = [:]
  /// How many connections were made, and told of, while lists were asked.
  package var connections = 0
  /// What it has had from the caches.
  package var cache = CacheAccount()
  /// The cost of targets that an update has looked at, and looks at again.
  package var costs: [TargetName: ExchangeTotals] = [:]
}

/// The user's caches.
package struct CacheChoice: Sendable {
  /// The one on this machine; `nil` for none.
  package var local: CacheSettings?
  /// The one on a server; `nil` for none.
  package var remote: RemoteCacheSettings?
}
