package import Execution
package import Planning
import Reporting
package import SyncModel

/// An opened manifest on its way to a plan or a run: expand, choose, read the lock, then plan or run.
///
/// The program takes the same steps in `Project` (SyncmakeCLI), with what people are told between them; it is to use this.
package struct OpenProject {
  /// Of the manifest with the targets that are known so far.
  package private(set) var workspace: Workspace
  /// What became of targets whose outputs the manifest had to be read with.
  package private(set) var ended: [TargetName: SyncModel.TargetResult] = [:]
  /// The lines of a plan of the same.
  package private(set) var planned: [TargetName: Planning.PlannedTarget] = [:]
  private var opened: OpenedManifest

  /// A manifest or a lock that cannot be used.
  package enum Fault: Error {
    /// The manifest with what its lists and values say.
    case manifest([Diagnostic])
    /// The lock has errors, or does not fit although it must.
    case lock([Diagnostic])
    /// A lock must be there, and is not; the name is its file's.
    case lockMissing(String)
  }

  /// `nil` if the manifest has errors.
  package init?(_ opened: OpenedManifest) {
    guard let workspace = opened.workspace else { return nil }
    self.opened = opened
    self.workspace = workspace
  }

  /// Gives variables the values of outputs, and makes targets of what lists name (contract, section 11).
  ///
  /// Returns warnings. Throws a ``Fault``, a `RunFault`, and what the orders throw.
  ///
  /// - Parameters:
  ///   - values: how values are known; its lock is set here.
  ///   - lists: how lists are read; the lock's part is set here.
  ///   - locked: what becomes of the entries in a lock.
  ///   - report: hears of the requests, and of the targets that are brought up to date for their values; for lists the
  ///     targets have the templates' names.
  package mutating func expand(
    _ values: ValueOrder, _ lists: ListOrder, locked: (LockFile) -> LockedLists, stop: StopSignal,
    report: @escaping (SyncModel.Manifest) -> (RunEvent) -> Void = { _ in { _ in } }
  ) throws -> [Diagnostic] {
    guard workspace.manifest.isExpandable else { return [] }
    var reader = self
    _ = try reader.readLock()
    let lock = reader.workspace.lock
    var values = values
    values.lock = lock
    values.report = report
    let outcome = try ValueExpansion.perform(on: opened, values, stop: stop)
    _ = try take(outcome.opened)
    (ended, planned) = (outcome.ended, outcome.planned)
    var lists = lists
    lists.locked = lock.map(locked) ?? .asked
    lists.report = report(ListAsking.askers(workspace.manifest))
    return try take(try ManifestExpansion.perform(on: opened, lists, stop: stop))
  }

  private mutating func take(_ expanded: OpenedManifest) throws -> [Diagnostic] {
    guard let workspace = expanded.workspace else { throw Fault.manifest(expanded.diagnostics) }
    opened = expanded
    self.workspace = workspace
    return expanded.diagnostics
  }

  /// Reads the lock, if there is one; throws a ``Fault`` if it has errors.
  private mutating func readLock() throws -> LockReading {
    let reading = try workspace.readLock()
    if !reading.isMissing, workspace.lock == nil { throw Fault.lock(reading.diagnostics) }
    return reading
  }

  /// The same, and compares it with the manifest.
  ///
  /// Returns warnings that concern `selection`. If the lock `isRequired`, it must be there and fit the whole manifest.
  package mutating func readLock(isRequired: Bool, for selection: [TargetID]) throws -> [Diagnostic] {
    let reading = try readLock()
    guard let lock = workspace.lock else {
      if isRequired { throw Fault.lockMissing(reading.fileName) }
      return []
    }
    let review = LockReview(lock, workspace.manifest)
    let problems = LockReviewText.diagnostics(
      isRequired ? review : review.of(selection), manifest: workspace.manifest, file: reading.fileName,
      severity: isRequired ? .error : .warning, places: reading.places, line: reading.line)
    if isRequired, !problems.isEmpty { throw Fault.lock(problems) }
    return reading.diagnostics + problems
  }

  /// Performs `work`, and repeats it after `rereading` whenever the lock file has changed since it was read.
  package mutating func perform<Result>(
    rereading: (inout OpenProject) throws -> Void, _ work: (Workspace) throws(RunFault) -> Result
  ) throws -> Result {
    var project = self
    defer { self = project }
    return try workspace.perform { workspace in
      // The targets are made of the old lock's entries and values.
      guard !workspace.manifest.isExpandable else { throw RunFault.lockFileChanged }
      project.workspace = workspace
      try rereading(&project)
      workspace = project.workspace
    } _: { workspace throws(RunFault) in
      try work(workspace)
    }
  }
}
