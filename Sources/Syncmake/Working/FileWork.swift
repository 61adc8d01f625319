import Execution
import Planning
import Reporting
import SyncModel

/// Files of one root, as targets of a manifest that is nowhere written; blocks while they are planned or run.
struct FileWork: Sendable {
  private let workspace: Workspace
  private let destinations: [String]
  /// What was said when the state and the declarations were read.
  private let warnings: [Problem]
  private let settings: RunSettings

  /// Throws if a value is invalid. Root and state folder are those of the first file; no two have one destination.
  ///
  /// `snapshot` is the one that the run writes; `nil` for none.
  init(
    _ files: [FileSync], _ options: RunOptions, _ environment: [String: String],
    writing snapshot: FileSnapshot?
  ) throws(SyncError) {
    destinations = files.map(\.destination)
    let made = ManifestText(files.map(\.target))
    let work: ManifestWork
    if let snapshot {
      work = try ManifestWork(
        snapshot.location, text: Array(made.text.utf8), environment, mayLeaveSnapshot: true)
    } else {
      let root = files.first?.root ?? "."
      work = try ManifestWork(
        file: ManifestWork.file(in: root), text: made.text, state: files.first?.state, environment,
        secrets: made.secrets)
    }
    settings = options.settings(environment)
    var project = work.project
    project.take(options, settings)
    var workspace = project.workspace
    // Other targets of this state folder may be those of other calls.
    workspace.isPart = true
    // Each call returns its manifest's warnings, which a snapshot does not have.
    workspace.basis =
      project.warnings.isEmpty ? snapshot.flatMap { workspace.basis?.declared(by: $0.declaration) } : nil
    self.workspace = workspace
    warnings = work.project.warnings.map { Problem($0, Problem.ofManifest) }
  }

  // MARK: Working

  func plan(_ stop: StopSignal) -> Result<[PlannedTarget], SyncError> {
    let manifest = workspace.manifest
    var settings = settings
    settings.questions.asksHowLarge = true
    do throws(RunFault) {
      let plan = try PlanMaker.plan(
        workspace.graph.order, in: workspace, settings: settings, stop: stop, report: { _ in })
      let planned = plan.targets.sorted { $0.id < $1.id }
      return .success(
        zip(planned, destinations).map { PlannedTarget($0, of: manifest).named($1) })
    } catch {
      return .failure(SyncError(error, manifest.secrets))
    }
  }

  /// One result for each file; all are skipped with the fault if the run could not begin.
  ///
  /// `early` are requests that were made before.
  func run(
    _ stop: StopSignal, early: EarlyAnswers? = nil, _ report: @escaping (Event) -> Void
  ) -> [TargetResult] {
    let manifest = workspace.manifest
    let account = RunAccount(report)
    do {
      var outcome = try unlocked { workspace throws(RunFault) in
        try Runner.run(
          workspace.graph.order, in: workspace, settings: settings, stop: stop, early: early
        ) { event in
          // Results are made of what the run returns.
          if case .finished = event { return }
          account.tell(event, of: manifest)
        }
      }
      outcome.results.sort { $0.id < $1.id }
      return account.results(outcome, of: manifest, named: destinations, manifestWarnings: warnings)
    } catch {
      let error = SyncError(any: error, manifest.secrets)
      return destinations.map { TargetResult(skipped: $0, warnings: warnings + account.warnings, error) }
    }
  }

  /// Performs `work` without the lock that may be in the root: it is a manifest's.
  private func unlocked<Value>(_ work: (Workspace) throws(RunFault) -> Value) throws -> Value {
    var workspace = workspace
    func look(_ workspace: inout Workspace) throws {
      _ = try workspace.readLock()
      workspace.lock = nil
    }
    try look(&workspace)
    return try workspace.perform(rereading: look, work)
  }
}

extension FileSync {
  fileprivate var target: Target {
    var target = Target(FileName.of(self), urls: urls, output: destination, rule: rule, steps: steps)
    target.headers = headers
    target.credentials = credentials
    target.maximumSize = maximumSize
    target.localChanges = localChanges
    return target
  }
}
