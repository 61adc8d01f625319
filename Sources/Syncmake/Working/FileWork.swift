import Execution
import Planning
import Reporting
import SyncModel

/// Files of one root, as targets of a manifest that is nowhere written; blocks while they are planned or run.
struct FileWork: Sendable {
  private let workspace: Workspace
  private let destinations: [String]
  private let settings: RunSettings

  /// Throws if a value is invalid, or two files have the same destination.
  init(_ files: [FileSync], _ options: RunOptions, _ environment: [String: String]) throws(SyncError) {
    destinations = files.map(\.destination)
    try Self.checkDestinations(destinations)
    let targets = files.enumerated().map { index, file in
      file.target(named: Self.name(index, file.destination))
    }
    let made = ManifestText(targets)
    let root = files.first?.root ?? "."
    let work = try ManifestWork(
      file: ManifestWork.file(in: root), text: made.text, state: files.first?.state, environment,
      secrets: made.secrets)
    guard var workspace = work.opened.workspace else { throw SyncError(.invalid, work.opened.diagnostics) }
    // Other targets of this state folder may be those of other calls.
    workspace.isPart = true
    self.workspace = workspace
    settings = options.settings(environment)
  }

  /// The errors that a manifest has for these, but with codes of their own.
  private static func checkDestinations(_ destinations: [String]) throws(SyncError) {
    var seen: Set<RelativePath> = []
    for destination in destinations {
      let path: RelativePath
      let text = destination.hasSuffix("/") ? String(destination.dropLast()) : destination
      do throws(RelativePath.Fault) { path = try RelativePath(text) } catch {
        guard error == .leavesRoot || error == .absolute else { continue }
        throw SyncError(
          .outsideRoot, CleanText.clean("the destination \"\(destination)\" is not below the root"),
          hint: "write a path relative to the root, without ..")
      }
      guard seen.insert(path).inserted else {
        throw SyncError(
          .takenDestination, CleanText.clean("two files have the destination \"\(destination)\""))
      }
    }
  }

  /// The destination, since a name is recorded, too; otherwise its number.
  private static func name(_ index: Int, _ destination: String) -> String {
    TargetName.isValid(destination) ? destination : "file-\(index + 1)"
  }

  // MARK: Working

  func plan(_ stop: StopSignal) -> Result<[PlannedTarget], SyncError> {
    let manifest = workspace.manifest
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

  func perform(_ report: @escaping @Sendable (Event) -> Void) async throws(SyncError) -> [TargetResult] {
    let stop = StopSignal()
    return try await RunThread.perform(stop: stop) { run(stop, report) }.get()
  }

  private func run(
    _ stop: StopSignal, _ report: @escaping (Event) -> Void
  ) -> Result<[TargetResult], SyncError> {
    let manifest = workspace.manifest
    do {
      let outcome = try unlocked { workspace throws(RunFault) in
        try Runner.run(workspace.graph.order, in: workspace, settings: settings, stop: stop) { event in
          // Results are made of what the run returns.
          if case .finished = event { return }
          if let event = Event(event, of: manifest) { report(event) }
        }
      }
      if outcome.status == .interrupted { return .failure(.cancelled) }
      if let failure = outcome.failure { return .failure(SyncError(failure, manifest.secrets)) }
      let ended = outcome.results.sorted { $0.id < $1.id }
      return .success(zip(ended, destinations).map { TargetResult($0, of: manifest).named($1) })
    } catch {
      return .failure(SyncError(any: error, manifest.secrets))
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
  fileprivate func target(named name: String) -> Target {
    var target = Target(name, urls: urls, output: destination, rule: rule, steps: steps)
    target.headers = headers
    target.credentials = credentials
    target.maximumSize = maximumSize
    target.localChanges = localChanges
    return target
  }
}
