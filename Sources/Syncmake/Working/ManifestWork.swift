import Execution
import Planning
import Platform
import Reporting
import SyncModel

/// Opens a manifest, and blocks while it is planned or run.
struct ManifestWork: Sendable {
  let opened: OpenedManifest
  /// Of the targets that are known without asking lists.
  let manifest: SyncModel.Manifest
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
    guard let location = ManifestLocation(file: file, stateDir: state, caller: caller) else {
      throw SyncError(.invalid, "no manifest is named")
    }
    try Self.check(location)
    do throws(ManifestLocation.Unreadable) {
      opened = try OpenedManifest(location, text: text.map { Array($0.utf8) })
    } catch {
      throw SyncError(.invalid, "cannot read \(CleanText.clean(location.path)): \(error.text)")
    }
    guard let workspace = opened.workspace else { throw SyncError(.invalid, opened.diagnostics) }
    manifest = workspace.manifest
  }

  /// Throws if the state folder is not ours, or a later version's: a run would set that state aside.
  private static func check(_ location: ManifestLocation) throws(SyncError) {
    let path = CleanText.clean(location.statePath)
    if let why = location.stateObjection {
      throw SyncError(
        .unusableState, CleanText.clean("\(path) cannot be the state folder: \(why)"),
        hint: "choose a new folder or an empty one")
    }
    if let why = location.laterState {
      throw SyncError(
        .unusableState, "\(path) cannot be used: \(why)", hint: "use that version, or choose another folder")
    }
  }

  // MARK: Working

  func plan(_ names: [String], _ options: RunOptions, _ stop: StopSignal) -> Result<Plan, SyncError> {
    var secrets = manifest.secrets
    do {
      var project = try self.project()
      var values = valueOrder(options.isOffline ? .present : .plan, names, options)
      let settings = values.settings
      values.settings = {
        var settings = try settings($0)
        settings.asksHowLarge = true
        return settings
      }
      let lists = ListOrder(settings: options.settings(environment), keeps: false, locked: .asked)
      _ = try project.expand(values, lists, locked: { .compared($0) }, stop: stop)
      secrets = project.workspace.manifest.secrets
      let chosen = try Self.select(names, in: project.workspace)
      _ = try project.readLock(isRequired: options.requiresLock, for: chosen)
      var asking = options.settings(environment)
      asking.planned = project.planned
      asking.asksHowLarge = true
      let plan = try PlanMaker.plan(
        chosen, in: project.workspace, settings: asking, stop: stop, report: { _ in })
      let manifest = project.workspace.manifest
      return .success(Plan(targets: plan.targets.map { PlannedTarget($0, of: manifest) }))
    } catch {
      return .failure(SyncError(any: error, secrets))
    }
  }

  func run(
    _ names: [String], _ options: RunOptions, _ stop: StopSignal, _ report: @escaping (Event) -> Void
  ) -> RunResult {
    let account = RunAccount(report)
    var secrets = manifest.secrets
    do {
      var project = try self.project()
      let values = valueOrder(options.isOffline ? .present : .run, names, options)
      let lists = ListOrder(settings: options.settings(environment), keeps: true, locked: .asked)
      let warnings = try project.expand(
        values, lists, locked: { .locked($0) }, stop: stop,
        report: { manifest in { account.tellEarly($0, of: manifest) } })
      for warning in warnings { account.warn(Problem(warning)) }
      let manifest = project.workspace.manifest
      secrets = manifest.secrets
      let chosen = try Self.select(names, in: project.workspace)
      func readLock(_ project: inout OpenProject) throws {
        for warning in try project.readLock(isRequired: options.requiresLock, for: chosen) {
          account.warn(Problem(warning))
        }
      }
      try readLock(&project)
      var settings = options.settings(environment)
      settings.ended = project.ended
      let outcome = try project.perform(rereading: readLock) { workspace throws(RunFault) in
        try Runner.run(chosen, in: workspace, settings: settings, stop: stop) { event in
          account.tell(event, of: manifest)
        }
      }
      return account.result(outcome, of: manifest)
    } catch {
      return account.result(SyncError(any: error, secrets))
    }
  }

  private func project() throws(SyncError) -> OpenProject {
    guard let project = OpenProject(opened) else { throw SyncError(.invalid, opened.diagnostics) }
    return project
  }

  private func valueOrder(
    _ manner: ValueOrder.Manner, _ names: [String], _ options: RunOptions
  ) -> ValueOrder {
    let settings = options.settings(environment)
    var order = ValueOrder(manner) {
      try Self.select(names, in: $0)
    } settings: { _ in
      settings
    }
    order.orders = !options.isOffline
    return order
  }

  static func select(_ names: [String], in workspace: Workspace) throws -> [TargetID] {
    try Selection.resolve(names: names, manifest: workspace.manifest, graph: workspace.graph)
  }
}
