import Execution
import Planning
import Platform
import Reporting
import SyncModel

/// Opens a manifest, and blocks while it is planned or run.
struct ManifestWork: Sendable {
  /// With the targets that are known without asking lists.
  let project: OpenProject
  private let environment: [String: String]
  private let trust: Trust

  /// The file that a manifest without one would have.
  static func file(in root: String) -> String {
    root.isEmpty || root.hasSuffix("/") ? "\(root)syncmake.yaml" : "\(root)/syncmake.yaml"
  }

  /// - Parameters:
  ///   - text: what is read instead of the file.
  ///   - secrets: further variables, for `${secret:NAME}` only.
  init(
    file: String, text: String?, state: String?, _ environment: [String: String],
    secrets: [String: String] = [:], trust: Trust = .full
  ) throws(SyncError) {
    let location = try Self.locate(file: file, state: state, environment, secrets: secrets, trust: trust)
    try self.init(location, text: text.map { Array($0.utf8) }, environment, trust)
  }

  /// The same at a place that is known.
  ///
  /// `mayLeaveSnapshot` is for a run that may write a snapshot.
  init(
    _ location: ManifestLocation, text: [UInt8]?, _ environment: [String: String], _ trust: Trust = .full,
    mayLeaveSnapshot: Bool = false
  ) throws(SyncError) {
    self.environment = environment
    self.trust = trust
    do throws(OpenProject.Fault) {
      project = try OpenProject(location, text: text, mayLeaveSnapshot: mayLeaveSnapshot)
    } catch {
      throw SyncError(error)
    }
  }

  /// Where a manifest is, and what it takes from its caller.
  static func locate(
    file: String, state: String?, _ environment: [String: String], secrets: [String: String] = [:],
    trust: Trust = .full, allowsSnapshots: Bool = false
  ) throws(SyncError) -> ManifestLocation {
    let network = NetworkSettings(userAgent: LibraryVersion.userAgent) { environment[$0] }
    var caller = CallerFacts(
      version: LibraryVersion.number, proxyPasswords: network.proxyPasswords, allowsSnapshots: allowsSnapshots
    ) { secrets[$0] ?? environment[$0] }
    caller.ownsProcess = false
    caller.policy = trust.begin()
    caller.manifestPlace = CommandPlace(ShellText.words(["-f", file]))
    let location: ManifestLocation?
    do throws(OpenProject.Fault) {
      location = try OpenProject.locate(file: file, state: state, caller: caller, sparesLaterState: true)
    } catch {
      throw SyncError(error)
    }
    guard let location else { throw SyncError(.invalid, "no manifest is named") }
    return location
  }

  // MARK: Working

  func plan(_ names: [String], _ options: RunOptions, _ stop: StopSignal) -> Result<Plan, SyncError> {
    var project = project
    do {
      var settings = options.settings(environment, trust)
      settings.questions.asksHowLarge = true
      project.take(options, settings)
      _ = try project.expand(
        valueOrder(.plan, names, options, settings),
        ListOrder(settings: settings, keeps: false, locked: .asked), locked: { .compared($0) }, stop: stop)
      let chosen = project.withEarlier(try Self.select(names, in: project.workspace))
      _ = try project.readLock(options.lockManner, for: chosen)
      settings.earlier.planned = project.planned
      let plan = try PlanMaker.plan(
        chosen, in: project.workspace, settings: settings, stop: stop, report: { _ in })
      let manifest = project.workspace.manifest
      return .success(Plan(targets: plan.targets.map { PlannedTarget($0, of: manifest) }))
    } catch {
      return .failure(SyncError(any: error, project.workspace.manifest.secrets))
    }
  }

  func run(
    _ names: [String], _ options: RunOptions, _ stop: StopSignal, _ report: @escaping (Event) -> Void
  ) -> RunResult {
    let account = RunAccount(report)
    let settings = options.settings(environment, trust)
    var secrets = project.workspace.manifest.secrets
    do {
      return try OpenProject.beginningAgain { _ in
        account.begin()
        var project = project
        project.take(options, settings)
        defer { secrets = project.workspace.manifest.secrets }
        return try run(&project, names, options, settings, stop, account)
      }
    } catch {
      return account.result(SyncError(any: error, secrets))
    }
  }

  private func run(
    _ project: inout OpenProject, _ names: [String], _ options: RunOptions, _ settings: RunSettings,
    _ stop: StopSignal, _ account: RunAccount
  ) throws -> RunResult {
    let early = { (manifest: SyncModel.Manifest) in { account.tellEarly($0, of: manifest) } }
    var values = valueOrder(.run, names, options, settings)
    values.report = early
    var lists = ListOrder(settings: settings, keeps: true, locked: .asked)
    lists.names = names
    let warnings = try project.expand(
      values, lists, locked: { .locked($0) }, stop: stop, preparing: { $1.report = early($0) })
    for warning in warnings { account.warn(Problem(warning, Problem.ofManifest)) }
    let manifest = project.workspace.manifest
    func warn(_ problems: [Diagnostic]) {
      for problem in problems { account.warn(Problem(.lock(problem), manifest)) }
    }
    let chosen = project.withEarlier(try Self.select(names, in: project.workspace))
    warn(try project.readLock(options.lockManner, for: chosen))
    var settings = settings
    settings.earlier.ended = project.ended
    settings.earlier.cache = project.cacheBefore
    let outcome = try project.withLock(options.lockManner, for: chosen, warn: warn) {
      workspace throws(RunFault) in
      try Runner.run(chosen, in: workspace, settings: settings, stop: stop) { event in
        account.tell(event, of: manifest)
      }
    }
    return account.result(outcome, of: manifest)
  }

  private func valueOrder(
    _ manner: ValueOrder.Manner, _ names: [String], _ options: RunOptions, _ settings: RunSettings
  ) -> ValueOrder {
    ValueOrder(manner, isOffline: options.isOffline, requiresLock: options.requiresLock) {
      try Self.select(names, in: $0)
    } settings: { _ in
      settings
    }
  }

  static func select(_ names: [String], in workspace: Workspace) throws -> [TargetID] {
    try Selection.resolve(names: names, manifest: workspace.manifest, graph: workspace.graph)
  }
}

extension OpenProject {
  /// Adds what the configuration of `options` says, of which `settings` were made.
  mutating func take(_ options: RunOptions, _ settings: RunSettings) {
    guard let configuration = options.configuration else { return }
    take(configuration.values, settings.routes)
  }
}

extension RunOptions {
  fileprivate var lockManner: LockManner { requiresLock ? .strict : .warn }
}
