package import Execution
package import Planning
import Reporting
package import SyncModel

/// A manifest on its way to a plan or a run: find it, read it, expand it, read its lock, then plan or run.
///
/// The library and the program both take this way. What is to be said on it comes as values: this type tells nobody.
package struct OpenProject {
  /// Of the manifest with the targets that are known so far.
  package var workspace: Workspace
  /// What became of targets whose outputs the manifest had to be read with.
  package private(set) var ended: [TargetName: SyncModel.TargetResult] = [:]
  /// What they have had from the cache.
  package private(set) var cacheBefore = CacheAccount()
  /// What they have cost in an update, which asks for them again.
  package private(set) var costs: [TargetName: ExchangeTotals] = [:]
  /// The lines of a plan of the same.
  package private(set) var planned: [TargetName: Planning.PlannedTarget] = [:]
  /// Held until the caller ends: it may be loading libraries.
  private var opened: OpenedManifest

  /// A manifest, a state folder or a lock that cannot be used.
  package enum Fault: Error {
    /// The folder that was named is no state folder.
    case stateUnusable(path: String, why: String)
    /// A later version wrote the state.
    case stateLater(path: String, why: String)
    /// The manifest's file cannot be read.
    case unreadable(path: String, why: String, hint: String?)
    /// The manifest has errors, perhaps by what its lists and values say.
    case manifest([Diagnostic])
    /// The lock's file cannot be read.
    case lockUnreadable(FailureCause)
    /// The lock has errors, or does not fit although it must.
    case lock([Diagnostic])
    /// A lock must be there, and is not; the name is its file's.
    case lockMissing(String)
  }

  // MARK: Opening

  /// Where the manifest and its state are; `nil` if no file is named and none is there.
  ///
  /// - Parameters:
  ///   - file: the manifest; `nil` for the one in the current folder.
  ///   - state: the state folder, if it is not the usual one.
  ///   - sparesLaterState: the state of a later version is a fault; otherwise a run sets it aside.
  package static func locate(
    file: String?, state: String?, caller: CallerFacts, sparesLaterState: Bool = false
  ) throws(Fault) -> ManifestLocation? {
    guard let location = ManifestLocation(file: file, stateDir: state, caller: caller) else { return nil }
    if let why = location.stateObjection {
      throw .stateUnusable(path: location.place.state, why: why)
    }
    if sparesLaterState, let why = location.laterState {
      throw .stateLater(path: location.place.state, why: why)
    }
    return location
  }

  /// Reads the manifest.
  ///
  /// - Parameters:
  ///   - text: what is read instead of the file.
  ///   - user: what the user's configuration adds.
  ///   - mayLeaveSnapshot: for a run that may write a snapshot.
  ///   - open: if only these targets are to be run, the manifest may hold no others.
  package init(
    _ location: ManifestLocation, text: [UInt8]? = nil, _ user: UserConfiguration = UserConfiguration(),
    _ routes: RequestRoutes = RequestRoutes(), mayLeaveSnapshot: Bool = false, only open: OpenTargets? = nil
  ) throws(Fault) {
    do throws(ManifestLocation.Unreadable) {
      opened = try OpenedManifest(location, text: text, mayLeaveSnapshot: mayLeaveSnapshot, only: open)
    } catch {
      throw .unreadable(path: location.path, why: error.text, hint: error.hint)
    }
    guard let workspace = opened.workspace else { throw .manifest(opened.diagnostics) }
    self.workspace = workspace
    take(user, routes)
  }

  /// Adds what the user's configuration says of hosts and requests; call it once, before anything is expanded.
  mutating func take(_ user: UserConfiguration, _ routes: RequestRoutes) {
    opened.take(hosts: user.hosts, routes)
    if let workspace = opened.workspace { self.workspace = workspace }
  }

  /// Leaves this run its part of the limits for hosts, which are those of so many `machines` together (contract, section
  /// 13); call it before anything is expanded, since lists and values are asked for, too.
  package mutating func divideHosts(among machines: Int) {
    opened.divideHosts(among: machines)
    if let workspace = opened.workspace { self.workspace = workspace }
  }

  /// Warnings about the manifest as it was read.
  package var warnings: [Diagnostic] { opened.diagnostics }

  /// Waits for background work; call it before the program exits from inside.
  package func finish() { opened.finish() }

  // MARK: Expanding

  /// Gives variables the values of outputs, and makes targets of what lists name (contract, section 11).
  ///
  /// Returns the warnings about the expanded manifest. Throws a ``Fault``, a `RunFault`, and what the orders throw.
  ///
  /// - Parameters:
  ///   - values: how values are known; its lock is set here.
  ///   - lists: how lists are read; the lock's part is set here.
  ///   - locked: what becomes of the entries in a lock.
  ///   - prepare: sets what is only known once the values are; gets the targets that stand for the lists, with the
  ///     templates' names.
  package mutating func expand(
    _ values: ValueOrder, _ lists: ListOrder, locked: (LockFile) -> LockedLists, stop: StopSignal,
    preparing prepare: (SyncModel.Manifest, inout ListOrder) -> Void = { _, _ in }
  ) throws -> [Diagnostic] {
    guard workspace.manifest.isExpandable else { return [] }
    let lock = try lock()
    var (values, lists) = (values, lists)
    values.lock = lock
    let outcome = try ValueExpansion.perform(on: opened, values, stop: stop)
    (ended, planned, cacheBefore) = (outcome.ended, outcome.planned, outcome.cache)
    costs = outcome.costs
    if outcome.isInterrupted { throw RunFault.interrupted }
    try take(outcome.opened)
    lists.locked = lock.map(locked) ?? .asked
    prepare(ListAsking.askers(workspace.manifest), &lists)
    try take(try ManifestExpansion.perform(on: opened, lists, stop: stop))
    return opened.diagnostics
  }

  /// The same with the lists that runs have stored, for those who ask nobody: a list that is not known has no targets.
  package mutating func expandStoredLists(allowsRemovals: Bool = false) throws {
    guard workspace.manifest.isExpandable else { return }
    try take(
      try ManifestExpansion.performByStored(on: opened, lock: try lock(), allowsRemovals: allowsRemovals))
  }

  /// The same with the entries of a lock, if there is one.
  package mutating func expandByLock() throws(Fault) {
    guard workspace.manifest.isExpandable, let lock = try lock() else { return }
    try take(ManifestExpansion.performByLock(on: opened, lock))
  }

  /// `selection`, and what was brought up to date or planned before the manifest was known: a value that cannot be used
  /// leaves nothing that needs its target, but reports name what has changed.
  package func withEarlier(_ selection: [TargetID]) -> [TargetID] {
    guard !ended.isEmpty || !planned.isEmpty else { return selection }
    let selected = Set(selection)
    return workspace.graph.order.filter { id in
      let name = workspace.manifest[id].name
      return selected.contains(id) || ended[name] != nil || planned[name] != nil
    }
  }

  private mutating func take(_ expanded: OpenedManifest) throws(Fault) {
    guard let workspace = expanded.workspace else { throw .manifest(expanded.diagnostics) }
    opened = expanded
    self.workspace = workspace
  }
}

// MARK: The lock

/// How the lock file is taken.
package enum LockManner: Sendable {
  /// Missing or contradicted targets are warnings.
  case warn
  /// The same, without warnings.
  case quiet
  /// It must be there and fit; else nothing is started.
  case strict
}

extension OpenProject {
  /// The lock, whose entries take the place of those of the lists; `nil` without one.
  private func lock() throws(Fault) -> LockFile? {
    var reader = self
    _ = try reader.readLock(.quiet, for: [])
    return reader.workspace.lock
  }

  /// Reads the lock into the workspace.
  ///
  /// Returns warnings that concern `selection`; ``LockManner/strict`` covers the whole manifest.
  package mutating func readLock(_ manner: LockManner, for selection: [TargetID]) throws(Fault)
    -> [Diagnostic]
  {
    let reading: LockReading
    do throws(FailureCause) { reading = try workspace.readLock() } catch { throw .lockUnreadable(error) }
    guard !reading.isMissing else {
      if manner == .strict { throw .lockMissing(reading.fileName) }
      return []
    }
    guard let lock = workspace.lock else { throw .lock(reading.diagnostics) }
    guard manner != .quiet else { return [] }
    let review = LockReview(lock, workspace.manifest)
    let problems = LockReviewText.diagnostics(
      manner == .strict ? review : review.of(selection), manifest: workspace.manifest,
      file: reading.fileName, severity: manner == .strict ? .error : .warning, places: reading.places,
      lines: reading.lines)
    if manner == .strict, !problems.isEmpty { throw .lock(problems) }
    return problems
  }

  /// Performs `work`, and repeats it whenever the lock file has changed since it was read; then `warn` hears what
  /// ``readLock(_:for:)`` returns.
  ///
  /// This happens if the process waited for an `update`. With lists or values the targets themselves are the old lock's:
  /// then it throws `RunFault.lockFileChanged`, for ``beginningAgain(_:)``.
  package mutating func withLock<Result>(
    _ manner: LockManner, for selection: [TargetID], warn: ([Diagnostic]) -> Void,
    _ work: (Workspace) throws(RunFault) -> Result
  ) throws -> Result {
    var project = self
    defer { self = project }
    return try workspace.perform { workspace in
      guard !workspace.manifest.isExpandable else { throw RunFault.lockFileChanged }
      project.workspace = workspace
      warn(try project.readLock(manner, for: selection))
      workspace = project.workspace
    } _: { workspace throws(RunFault) in
      try work(workspace)
    }
  }

  /// Performs all of a run that expands the manifest, and once more if the lock has changed whose entries are its
  /// targets; the last time `work` has to tell of that itself, or to throw it.
  package static func beginningAgain<Result>(_ work: (_ isLast: Bool) throws -> Result) throws -> Result {
    do { return try work(false) } catch RunFault.lockFileChanged { return try work(true) }
  }
}
