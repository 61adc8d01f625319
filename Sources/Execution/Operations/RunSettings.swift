package import Planning
import Platform
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

/// The network settings from the environment; only the command line reads the environment.
package struct NetworkSettings: Sendable {
  /// `syncmake/VERSION`.
  package var userAgent = "syncmake"
  /// For `http` URLs; `nil` if the variable is unset or empty.
  package var httpProxy: String?
  /// The same for `https` URLs.
  package var httpsProxy: String?
  /// For both, if the scheme's own is `nil`.
  package var allProxy: String?
  /// Hosts without a proxy, comma-separated; `nil` if there are none.
  package var noProxy: String?
  /// A file of certificates to trust; `nil` is the system's own.
  package var caBundle: String?
  /// A folder of certificates to trust; `nil` is the system's own.
  package var caDirectory: String?
  /// The user's netrc file; `nil` without a home folder.
  package var netrcPath: String?

  /// No proxies, the system's certificates, and no netrc file.
  package init() {}
}

/// The place of a manifest's files, and the facts about them.
package struct Workspace: Sendable {
  /// The valid manifest, or the part of it that ``open`` describes.
  package var manifest: Manifest
  /// The dependencies in ``manifest``.
  package var graph: TargetGraph
  /// The manifest's folder.
  package var rootPath: String
  /// The state folder, absolute or from the current folder; it need not be there yet.
  package var statePath: String
  /// Whether the state folder may be a link: only if the user named it, never if a repository contains it.
  package var stateMayBeLink: Bool
  /// The content of `syncmake.lock`; `nil` if there is none.
  package var lock: LockFile?
  /// The lock file's observation before it was read.
  package var lockSeen = OutputObservation.missing
  /// Targets that are updated as if the lock did not contain them.
  package var unpinned: Set<TargetID> = []
  /// What a run needs to write a compiled snapshot; `nil` if it must not.
  package var basis: SnapshotBasis?
  /// The shard whose state this is; `nil` for a plain run.
  package internal(set) var shard: ShardPlace?

  /// Whether the manifest is a stranger's, so that its `file` sources must be inside the root.
  var isUntrusted: Bool { manifest.isUntrusted }
  private var extent = Extent.whole

  private enum Extent {
    case whole, part
    case open(OpenTargets)
  }

  /// Whether ``manifest`` may lack targets that are not known yet.
  package var isPart: Bool {
    get { if case .part = extent { true } else { false } }
    set { extent = newValue ? .part : .whole }
  }

  /// Set where ``manifest`` holds nothing but these targets, since all others are known to be fresh.
  package var open: OpenTargets? {
    get { if case .open(let targets) = extent { targets } else { nil } }
    set { extent = newValue.map { .open($0) } ?? .whole }
  }

  /// `graph` must be made from `manifest`; paths are as in the fields of the same names.
  package init(
    manifest: Manifest, graph: TargetGraph, rootPath: String, statePath: String, stateMayBeLink: Bool = false
  ) {
    self.stateMayBeLink = stateMayBeLink
    self.manifest = manifest
    self.graph = graph
    self.rootPath = rootPath
    self.statePath = statePath
  }
}

/// What a compiled snapshot of a manifest rests on.
package struct SnapshotBasis: Sendable {
  /// What must be unchanged for the snapshot to be used.
  package var premises: SnapshotPremises
  /// `nil` if a snapshot must not survive an edit.
  package var outline: ManifestOutline?

  /// `outline` must be of the manifest in `premises`; `nil` if a snapshot must not survive an edit.
  package init(premises: SnapshotPremises, outline: ManifestOutline?) {
    self.premises = premises
    self.outline = outline
  }
}

extension Workspace {
  /// The valid pin for `target`.
  package func pin(of target: Target) -> Pin? {
    guard let lock, !unpinned.contains(target.id) else { return nil }
    return lock.pins[target.name]
  }

  /// What the list says now of the entry that `pin` has.
  func upstreamEntry(of pin: Pin?) -> UpstreamEntry {
    guard let pinned = pin?.entry,
      let template = manifest.templates.first(where: { $0.list.template == pinned.template }),
      let list = template.upstream
    else { return .unknown }
    return list[pinned.entry.identity].map { .listed($0) } ?? .gone
  }
}

/// Lets another thread, such as the one that waits for signals, stop a run.
package final class StopSignal: Sendable {
  private let state = Monitor(State())

  private struct State: Sendable {
    var isStopped = false
    var action: (@Sendable () -> Void)?
    var lastAction: (@Sendable () -> Void)?
  }

  /// Nothing was stopped yet, and no action is set.
  package init() {}

  /// Whether ``stop()`` was called; any thread.
  package var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Asks the run to stop cleanly; any thread, any number of times.
  package func stop() {
    let action = state.withLock { state in
      state.isStopped = true
      return state.action
    }
    action?()
  }

  /// Whether a stop handler is installed; callable from any thread.
  package var isHeard: Bool { state.withLock { $0.action != nil } }

  /// The program ends now, whatever is at work: what others wait for is given back.
  package func abandon() { state.withLock { $0.lastAction }?() }

  /// Has `action` run on ``abandon()``.
  func onAbandon(_ action: (@Sendable () -> Void)?) { state.withLock { $0.lastAction = action } }

  /// Has `action` run on every ``stop()``, and at once if there was one already.
  func onStop(_ action: (@Sendable () -> Void)?) {
    let isStopped = state.withLock { state in
      state.action = action
      return state.isStopped
    }
    if isStopped { action?() }
  }
}
