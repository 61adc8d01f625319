import Execution
import Planning
import Platform
import Reporting
import SyncModel

/// A manifest that was found and read, ready to be worked with.
struct Project {
  var workspace: Workspace
  /// For what goes to standard error.
  var style: TextStyle
  /// For results, which go to standard output.
  var outStyle: TextStyle
  var verbosity: Verbosity
  /// The current folder as the caller's shell or make would name it: the value of `-C`, or `.`.
  let enteredFolder: String
  let ci: CIPlatform?
  /// What happened while the lists were asked; `nil` for a manifest without lists.
  private(set) var tale: ListTale?
  /// The user's configuration; nothing for a command that has no use for it.
  let user: UserSettings
  /// The part of the targets that the command is about; `nil` for all that are selected.
  var shard: ShardFacts?
  /// Held until the command ends: it may be loading libraries.
  private var opened: OpenedManifest
  /// What became of targets whose outputs the manifest had to be read with.
  private(set) var ended: [TargetName: TargetResult] = [:]
  /// What they have had from the cache.
  private(set) var cacheBefore = CacheAccount()
  /// The lines of a plan of the same.
  private(set) var planned: [TargetName: PlannedTarget] = [:]

  var manifest: Manifest { workspace.manifest }
  var secrets: SecretMask { workspace.manifest.secrets }

  /// Changes folder, finds and reads the manifest; every problem is printed, and the exit status is 3.
  ///
  /// `mayLeaveSnapshot` is for a run that may write a snapshot. Problems are annotated at the manifest's lines if
  /// `ci` supports it. The configuration that `user` names is read, too. With `replacesLock` the lock's digests say
  /// nothing to a policy. If only `open` are to be run, the manifest may hold only these targets.
  init(
    _ options: ProjectOptions, _ user: UserOptions? = nil, mayLeaveSnapshot: Bool = false,
    only open: OpenTargets? = nil, replacesLock: Bool = false,
    ci: CIPlatform? = .detected
  ) throws {
    self.ci = ci
    style = Console.errStyle(options.color)
    outStyle = Console.outStyle(options.color)
    verbosity = options.silent ? .silent : options.verbose ? .verbose : .normal
    let given = options.place
    // Before the folder of the manifest is entered, which may have a file of that name.
    let policy = try PolicyFile.policy(options.trust, style, ci)
    let policyPlace = options.trust.policy.flatMap(RealPath.of)
    try given.enter(style, ci)
    enteredFolder = given.enteredFolder
    var caller = CallerFacts.process
    caller.policy = policy
    caller.obeysLock = !replacesLock
    guard let location = ManifestLocation(file: given.file, stateDir: options.stateDir, caller: caller)
    else {
      throw Failure.noManifest(given, style, ci)
    }
    if let why = location.stateObjection {
      throw Failure.usage(
        "\(location.statePath) cannot be the state folder: \(why)",
        hint: "choose a new folder or an empty one", style)
    }
    if let path = options.trust.policy, let place = policyPlace,
      let warning = PolicyFile.warning(path, at: place, root: location.root)
    {
      Console.err(DiagnosticText.render([warning], style: style))
      ci.annotate([warning])
    }
    var settings = UserSettings()
    if let user { settings = try UserSettings(user, style, ci) }
    settings.policy = policy
    self.user = settings
    do throws(ManifestLocation.Unreadable) {
      opened = try OpenedManifest(location, mayLeaveSnapshot: mayLeaveSnapshot, only: open)
    } catch {
      throw Failure.manifest("cannot read \(location.path): \(error.text)", nil, style, ci)
    }
    if !opened.diagnostics.isEmpty {
      Console.err(DiagnosticText.render(opened.diagnostics, style: style))
      ci.annotate(opened.diagnostics)
    }
    opened.take(hosts: self.user.configuration.hosts, self.user.routes)
    guard let workspace = opened.workspace else { throw Failure.told(3) }
    self.workspace = workspace
  }

  /// Gives variables the values of outputs, and makes targets of what the manifest's lists name, before anything is
  /// selected (contract, section 11).
  ///
  /// Throws the ``RunFault`` of an interruption; everything else exits with its status.
  ///
  /// - Parameters:
  ///   - values: how the values are known.
  ///   - settings: the stored lists are used if they forbid requests.
  ///   - keeps: what was read is stored for the next run.
  ///   - allowsRemovals: see ``ListOrder/allowsRemovals``.
  ///   - locked: what becomes of the entries in a lock.
  ///   - renewing: see ``ListOrder/renewing``.
  ///   - early: what was asked already.
  ///   - isQuiet: nothing is printed, whatever the options are.
  ///   - draws: progress is drawn on the terminal.
  mutating func expand(
    values: ValueOrder, settings: RunSettings, keeps: Bool, allowsRemovals: Bool = false,
    locked: (LockFile) -> LockedLists,
    renewing: ((Manifest) throws -> Set<TargetID>)? = nil, early: AskedLists? = nil,
    _ interruption: Interruption, isQuiet: Bool = false,
    draws: Bool = false
  ) throws {
    guard manifest.isExpandable else { return }
    let lock = try lock()
    try readValues(values, lock, renewing, interruption, isQuiet: isQuiet)
    var order = ListOrder(settings: settings, keeps: keeps, locked: lock.map(locked) ?? .asked)
    order.settings.reportsProgress = draws
    order.renewing = renewing
    order.allowsRemovals = allowsRemovals
    order.early = early
    let askers = ListAsking.askers(manifest)
    var tale = ListTale(askers: askers, time: SystemClock.now(), began: SystemClock.monotonic())
    defer { if !askers.targets.isEmpty { self.tale = tale } }
    let live = draws && !askers.targets.isEmpty ? LiveConsole(askers, style: style) : nil
    defer { live?.finish() }
    let tell: (RunEvent) -> Void = isQuiet ? { _ in } : tellOfLooking(at: askers, live)
    if !askers.targets.isEmpty { tell(.started(targets: askers.targets.count)) }
    order.report = { event in
      tale.add(event, at: SystemClock.monotonic())
      tell(event)
    }
    try take(
      try ManifestExpansion.perform(on: opened, order, stop: interruption.stop),
      isQuiet: isQuiet || verbosity == .silent)
  }

  private mutating func readValues(
    _ values: ValueOrder, _ lock: LockFile?, _ renewing: ((Manifest) throws -> Set<TargetID>)?,
    _ interruption: Interruption, isQuiet: Bool
  ) throws {
    var order = values
    order.lock = lock
    order.renewing = renewing
    let project = self
    if !isQuiet { order.report = { project.tellOfLooking(at: $0) } }
    let outcome = try ValueExpansion.perform(on: opened, order, stop: interruption.stop)
    try take(outcome.opened)
    (ended, planned, cacheBefore) = (outcome.ended, outcome.planned, outcome.cache)
  }

  /// The same with the lists that runs have stored, for commands that ask nobody: a list that is not known has no targets.
  mutating func expandStoredLists() throws {
    guard manifest.isExpandable else { return }
    try take(try ManifestExpansion.performByStored(on: opened, lock: try lock()))
  }

  /// The same with the entries of a lock, if there is one.
  mutating func expandByLock() throws {
    guard manifest.isExpandable, let lock = try lock() else { return }
    try take(ManifestExpansion.performByLock(on: opened, lock))
  }

  /// The lock, whose entries take the place of those of the lists; its problems are printed and exit with status 3.
  private func lock() throws -> LockFile? {
    var project = self
    try project.readLock(.quiet, for: [])
    return project.workspace.lock
  }

  private mutating func take(_ expanded: OpenedManifest, isQuiet: Bool = true) throws {
    if !expanded.diagnostics.isEmpty, !isQuiet || expanded.workspace == nil {
      Console.err(DiagnosticText.render(expanded.diagnostics, style: style))
      ci.annotate(expanded.diagnostics)
    }
    guard let workspace = expanded.workspace else { throw Failure.told(3) }
    opened = expanded
    self.workspace = workspace
  }

  /// Waits for background work of the command; call it before the program exits from inside.
  func finish() { opened.finish() }

  /// The targets of the command line; an unknown name exits with status 3.
  func select(_ selection: SelectionOptions) throws -> [TargetID] {
    try select(names: selection.targets, tags: selection.tag)
  }

  func select(names: [String], tags: [String] = []) throws -> [TargetID] {
    try select(names: names, tags: tags, in: workspace)
  }

  /// The same in another state of the manifest.
  func select(names: [String], tags: [String] = [], in workspace: Workspace) throws -> [TargetID] {
    let manifest = workspace.manifest
    do {
      return try Selection.resolve(names: names, tags: tags, manifest: manifest, graph: workspace.graph)
    } catch {
      throw Failure.unknown(error, manifest, style, ci)
    }
  }

  /// The targets with these names, without their dependencies; for `-o` and `-W`.
  func members(_ names: [String]) throws -> Set<TargetID> { try members(names, in: manifest) }

  /// The same of a part of the manifest, in which names may be missing.
  static func knownMembers(_ names: [String], in manifest: Manifest) -> Set<TargetID> {
    Set(names.flatMap { (try? Selection.named([$0], in: manifest)) ?? [] })
  }

  /// The same of another manifest.
  func members(_ names: [String], in manifest: Manifest) throws -> Set<TargetID> {
    guard !names.isEmpty else { return [] }
    do {
      return Set(try Selection.named(names, in: manifest))
    } catch {
      throw Failure.unknown(error, manifest, style, ci)
    }
  }
}
