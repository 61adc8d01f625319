import Execution
import Planning
import Platform
import Reporting
import SyncModel

import enum Syncmake.LockManner
import struct Syncmake.OpenProject

/// A manifest that was found and read, ready to be worked with: what is done with it, and what people are told of it.
///
/// The steps themselves are the library's (``OpenProject``). Their faults are printed here, and exit with their status.
struct Project {
  private var opened: OpenProject
  /// For what goes to standard error.
  var style: TextStyle
  /// For results, which go to standard output.
  var outStyle: TextStyle
  var verbosity: Verbosity
  /// The current folder as the caller's shell or make would name it: the value of `-C`, or `.`.
  let enteredFolder: String
  let ci: CIPlatform?
  /// What the command has done before it began again.
  let past: EarlierReadings
  /// What happened before the targets were known; `nil` for a manifest without lists and values that was read once.
  var tale: EarlyTale? { past.tale }
  /// The user's configuration; nothing for a command that has no use for it.
  let user: UserSettings
  /// The part of the targets that the command is about; `nil` for all that are selected.
  var shard: ShardFacts?

  var workspace: Workspace {
    get { opened.workspace }
    set { opened.workspace = newValue }
  }
  /// What became of targets whose outputs the manifest had to be read with.
  var ended: [TargetName: TargetResult] { opened.ended }
  /// What they have had from the cache.
  var cacheBefore: CacheAccount { opened.cacheBefore }
  /// What they have cost in an update, which asks for them again.
  var costs: [TargetName: ExchangeTotals] { opened.costs }
  /// The lines of a plan of the same.
  var planned: [TargetName: PlannedTarget] { opened.planned }
  /// The real path of the policy's file; `nil` without one.
  let policyFile: String?
  var manifest: Manifest { opened.workspace.manifest }
  var secrets: SecretMask { opened.workspace.manifest.secrets }
  /// The lists in local files, with the templates that have them; paths are absolute, or from the root.
  var listFiles: [(path: String, template: String)] {
    manifest.templates.compactMap { template in
      if case .file(let path, _) = template.list.url { (path, template.list.template) } else { nil }
    }
  }

  /// Changes folder, finds and reads the manifest; every problem is printed, and the exit status is 3.
  ///
  /// `mayLeaveSnapshot` is for a run that may write a snapshot. Problems are annotated at the manifest's lines if
  /// `ci` supports it. The configuration that `user` names is read, too; `remote` is of a command that uses a cache on a
  /// server. With `replacesLock` the lock's digests say nothing to a policy. If only `open` are to be run, the manifest may
  /// hold only these targets. With `writesOutputs` it must be in a folder. `past` is what the command has done before it
  /// began again.
  init(
    _ options: ProjectOptions, _ user: UserOptions? = nil, remote: RemoteCacheOptions? = nil,
    mayLeaveSnapshot: Bool = false,
    only open: OpenTargets? = nil, replacesLock: Bool = false, writesOutputs: Bool = false,
    ci: CIPlatform? = .detected, past: EarlierReadings = EarlierReadings()
  ) throws {
    self.ci = ci
    self.past = past
    style = Console.errStyle(options.color)
    outStyle = Console.outStyle(options.color)
    verbosity = options.silent ? .silent : options.verbose ? .verbose : .normal
    let given = options.place
    // Before the folder of the manifest is entered, which may have a file of that name.
    let policy = try PolicyFile.policy(options.trust, style, ci)
    let policyPlace = options.trust.policy.flatMap(RealPath.of)
    let policyLinks = options.trust.policy.map(PolicyFile.linkFolders) ?? []
    try given.folder.enter(style, ci)
    enteredFolder = given.folder.enteredFolder
    var caller = CallerFacts.process
    caller.policy = policy
    caller.manifestPlace = CommandPlace(given.words)
    caller.obeysLock = !replacesLock
    caller.writesOutputs = writesOutputs
    let (style, file) = (style, given.file)
    let found = try Failure.told(style, ci) {
      try OpenProject.locate(file: file, state: options.stateDir, caller: caller)
    }
    guard let location = found else { throw Failure.noManifest(given, style, ci) }
    if let path = options.trust.policy, let place = policyPlace,
      let warning = PolicyFile.warning(path, at: [place] + policyLinks, root: location.place.root)
    {
      Console.err(DiagnosticText.render([warning], style: style))
      ci.annotate([warning])
    }
    if policy != nil {
      PolicyFile.leavePrograms(in: location.place.root)
      let warnings = PolicyFile.leaveHomes(in: location.place.root)
      if !warnings.isEmpty { Failure.tell(warnings, style, ci) }
    }
    policyFile = policyPlace
    var settings = UserSettings()
    if let user { settings = try UserSettings(user, style, ci, remote: remote) }
    settings.policy = policy
    if policy != nil, let path = settings.place?.path,
      let warning = PolicyFile.warning(ofConfiguration: path, root: location.place.root)
    {
      Failure.tell([warning], style, ci)
    }
    self.user = settings
    opened = try Failure.told(style, ci) {
      try OpenProject(
        location, settings.configuration, settings.routes, mayLeaveSnapshot: mayLeaveSnapshot, only: open)
    }
    tell(opened.warnings)
  }

  private func tell(_ problems: [Diagnostic]) { Failure.tell(past.untold(problems), style, ci) }

  /// Leaves the command its part of the limits for hosts, before anything is asked.
  mutating func divideHosts(among machines: Int) { opened.divideHosts(among: machines) }

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
  ///   - names: see ``ListOrder/names``.
  ///   - early: what was asked already.
  ///   - isQuiet: nothing is printed, whatever the options are.
  ///   - draws: progress is drawn on the terminal.
  mutating func expand(
    values: ValueOrder, settings: RunSettings, keeps: Bool, allowsRemovals: Bool = false,
    locked: (LockFile) -> LockedLists,
    renewing: ((Manifest) throws -> Set<TargetID>)? = nil, naming names: [String] = [],
    early: AskedLists? = nil,
    _ interruption: Interruption, isQuiet: Bool = false,
    draws: Bool = false
  ) throws {
    guard manifest.isExpandable else { return }
    let (project, tale) = (self, past.beginTale())
    var order = ListOrder(settings: settings, keeps: keeps, locked: .asked)
    order.settings.reports.hasProgress = draws
    order.renewing = renewing
    order.names = names
    order.allowsRemovals = allowsRemovals
    order.early = early
    let values = heard(values, renewing, tale, isQuiet: isQuiet)
    var live: LiveConsole?
    let warnings: [Diagnostic] = try told { opened in
      // Before anything is printed, also of a fault.
      defer { live?.finish() }
      return try opened.expand(values, order, locked: locked, stop: interruption.stop) { askers, order in
        order.settings.earlier.connections = tale.connections
        guard !askers.targets.isEmpty else { return }
        if draws { live = LiveConsole(askers, style: project.style) }
        let tell: (RunEvent) -> Void = isQuiet ? { _ in } : project.tellOfLooking(at: askers, live)
        tell(.started(targets: askers.targets.count))
        order.report = { event in
          tale.add(event, ofListIn: askers, at: SystemClock.monotonic())
          tell(event)
        }
      }
    }
    if !isQuiet, verbosity != .silent { tell(warnings) }
  }

  /// Values that are known like this, and what was asked for them is told in `tale`.
  private func heard(
    _ values: ValueOrder, _ renewing: ((Manifest) throws -> Set<TargetID>)?, _ tale: EarlyTale, isQuiet: Bool
  ) -> ValueOrder {
    var order = values
    let past = past
    order.renewing = renewing
    order.settings = { part in
      var settings = try values.settings(part)
      settings.earlier.connections = tale.connections
      settings.earlier.updated = past.updated
      return settings
    }
    order.report = { part in
      let tell: (RunEvent) -> Void = isQuiet ? { _ in } : self.tellOfLooking(at: part)
      return { event in
        tale.add(event, ofTargetIn: part, at: SystemClock.monotonic())
        past.add(event)
        tell(event)
      }
    }
    return order
  }

  /// The same with the lists that runs have stored, for commands that ask nobody: a list that is not known has no targets.
  mutating func expandStoredLists(allowsRemovals: Bool = false) throws {
    do {
      try told { try $0.expandStoredLists(allowsRemovals: allowsRemovals) }
    } catch let fault as RunFault {
      throw Failure.fault(fault, secrets, style, nil, ci)
    }
  }

  /// The same after something else has failed: lists that cannot be read are not known.
  mutating func expandKnownLists() { try? opened.expandStoredLists() }

  /// The same with the entries of a lock, if there is one.
  mutating func expandByLock() throws { try told { try $0.expandByLock() } }

  /// Reads `syncmake.lock` into the workspace. Its warnings go to `report`.
  mutating func readLock(
    _ manner: LockManner, for selection: [TargetID], report: (RunEvent) -> Void
  ) throws {
    for problem in try told({ try $0.readLock(manner, for: selection) }) {
      report(.warning(.lock(problem)))
    }
  }

  /// The same for commands that are not runs: warnings are printed.
  mutating func readLock(
    _ manner: LockManner, for selection: [TargetID], _ words: HintWords? = nil
  ) throws {
    let warnings = try told(words: words) { try $0.readLock(manner, for: selection) }
    if verbosity != .silent { tell(warnings) }
  }

  /// Performs `work`, and repeats it whenever the lock file has changed since it was read.
  mutating func withLock<Result>(
    _ manner: LockManner, for selection: [TargetID], report: (RunEvent) -> Void,
    _ work: (Workspace) throws(RunFault) -> Result
  ) throws -> Result {
    try told { opened in
      try opened.withLock(
        manner, for: selection, warn: { for problem in $0 { report(.warning(.lock(problem))) } }, work)
    }
  }

  /// Performs a step; its fault is printed, and exits with its status.
  private mutating func told<Value>(
    words: HintWords? = nil, _ step: (inout OpenProject) throws -> Value
  ) throws -> Value {
    let (style, ci, secrets, words) = (style, ci, secrets, words ?? HintWords.at(manifest.place))
    return try Failure.told(style, ci, secrets, words) { try step(&opened) }
  }

  /// Waits for background work of the command; call it before the program exits from inside.
  func finish() { opened.finish() }

  /// `outcome` with the time of the whole run, which begins with the values and the lists.
  func whole(_ outcome: RunOutcome) -> RunOutcome {
    guard let tale else { return outcome }
    var outcome = outcome
    outcome.duration = SystemClock.monotonic() - tale.began
    return outcome
  }

  /// See `OpenProject.withEarlier`.
  func withEarlier(_ selection: [TargetID]) -> [TargetID] { opened.withEarlier(selection) }

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
    names.isEmpty ? [] : Set(Selection.known(names, in: manifest))
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
