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

  /// The file that a manifest without one would have.
  static func file(in root: String) -> String {
    root.isEmpty || root.hasSuffix("/") ? "\(root)syncmake.yaml" : "\(root)/syncmake.yaml"
  }

  /// - Parameters:
  ///   - text: what is read instead of the file.
  ///   - secrets: further variables, for `${secret:NAME}` only.
  init(
    file: String, text: String?, state: String?, _ environment: [String: String], secrets: [String: String]
  ) throws(SyncError) {
    self.environment = environment
    let network = NetworkSettings(userAgent: LibraryVersion.userAgent) { environment[$0] }
    var caller = CallerFacts(
      version: LibraryVersion.number, proxyPasswords: network.proxyPasswords, allowsSnapshots: false
    ) { secrets[$0] ?? environment[$0] }
    caller.ownsProcess = false
    let opened: OpenProject?
    do throws(OpenProject.Fault) {
      let location = try OpenProject.locate(file: file, state: state, caller: caller, sparesLaterState: true)
      opened = try location.map { (location) throws(OpenProject.Fault) in
        try OpenProject(location, text: text.map { Array($0.utf8) })
      }
    } catch {
      throw SyncError(error)
    }
    guard let opened else { throw SyncError(.invalid, "no manifest is named") }
    project = opened
  }

  // MARK: Working

  func plan(_ names: [String], _ options: RunOptions, _ stop: StopSignal) -> Result<Plan, SyncError> {
    var project = project
    do {
      var values = valueOrder(.plan, names, options)
      let settings = values.settings
      values.settings = {
        var settings = try settings($0)
        settings.asksHowLarge = true
        return settings
      }
      let lists = ListOrder(settings: options.settings(environment), keeps: false, locked: .asked)
      _ = try project.expand(values, lists, locked: { .compared($0) }, stop: stop)
      let chosen = try Self.select(names, in: project.workspace)
      _ = try project.readLock(options.lockManner, for: chosen)
      var asking = options.settings(environment)
      asking.planned = project.planned
      asking.asksHowLarge = true
      let plan = try PlanMaker.plan(
        chosen, in: project.workspace, settings: asking, stop: stop, report: { _ in })
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
    var secrets = project.workspace.manifest.secrets
    do {
      return try OpenProject.beginningAgain { _ in
        account.begin()
        var project = project
        defer { secrets = project.workspace.manifest.secrets }
        return try run(&project, names, options, stop, account)
      }
    } catch {
      return account.result(SyncError(any: error, secrets))
    }
  }

  private func run(
    _ project: inout OpenProject, _ names: [String], _ options: RunOptions, _ stop: StopSignal,
    _ account: RunAccount
  ) throws -> RunResult {
    let early = { (manifest: SyncModel.Manifest) in { account.tellEarly($0, of: manifest) } }
    var values = valueOrder(.run, names, options)
    values.report = early
    let lists = ListOrder(settings: options.settings(environment), keeps: true, locked: .asked)
    let warnings = try project.expand(
      values, lists, locked: { .locked($0) }, stop: stop, listening: early)
    func warn(_ problems: [Diagnostic]) { for problem in problems { account.warn(Problem(problem)) } }
    warn(warnings)
    let manifest = project.workspace.manifest
    let chosen = try Self.select(names, in: project.workspace)
    warn(try project.readLock(options.lockManner, for: chosen))
    var settings = options.settings(environment)
    settings.ended = project.ended
    settings.cacheBefore = project.cacheBefore
    let outcome = try project.withLock(options.lockManner, for: chosen, warn: warn) {
      workspace throws(RunFault) in
      try Runner.run(chosen, in: workspace, settings: settings, stop: stop) { event in
        account.tell(event, of: manifest)
      }
    }
    return account.result(outcome, of: manifest)
  }

  private func valueOrder(
    _ manner: ValueOrder.Manner, _ names: [String], _ options: RunOptions
  ) -> ValueOrder {
    let settings = options.settings(environment)
    return ValueOrder(manner, isOffline: options.isOffline, requiresLock: options.requiresLock) {
      try Self.select(names, in: $0)
    } settings: { _ in
      settings
    }
  }

  static func select(_ names: [String], in workspace: Workspace) throws -> [TargetID] {
    try Selection.resolve(names: names, manifest: workspace.manifest, graph: workspace.graph)
  }
}

extension RunOptions {
  fileprivate var lockManner: LockManner { requiresLock ? .strict : .warn }
}
