import Execution
import Planning
import Reporting
import SyncModel

/// How a command takes the lock file.
enum LockManner {
  /// Missing or contradicted targets are warnings.
  case warn
  /// The same, without messages.
  case quiet
  /// `--locked`: it must be there and fit; else nothing is started.
  case strict
}

extension Project {
  /// Reads `syncmake.lock` into the workspace; problems are printed and exit with status 3.
  ///
  /// Warnings concern `selection` and go to `report`; `--locked` covers the whole manifest.
  mutating func readLock(
    _ manner: LockManner, for selection: [TargetID], report: (RunEvent) -> Void
  ) throws {
    let reading: LockReading
    do throws(FailureCause) { reading = try workspace.readLock() } catch {
      throw Failure.manifest(FailureText.message(error, secrets: secrets), nil, style, ci)
    }
    guard !reading.isMissing else {
      guard manner == .strict else { return }
      throw Failure.manifest(
        "--locked needs \(reading.fileName), but it does not exist", "`syncmake lock` writes it", style, ci)
    }
    if !reading.diagnostics.isEmpty {
      Console.err(DiagnosticText.render(reading.diagnostics, style: style))
      ci.annotate(reading.diagnostics)
    }
    guard let lock = workspace.lock else { throw Failure.told(3) }
    guard manner != .quiet else { return }
    let review = LockReview(lock, manifest)
    let concerning = manner == .strict ? review : review.of(selection)
    let severity: Diagnostic.Severity = manner == .strict ? .error : .warning
    let problems = LockReviewText.diagnostics(
      concerning, manifest: manifest, file: reading.fileName, severity: severity, places: reading.places,
      line: reading.line)
    guard manner == .strict else {
      for problem in problems { report(.warning(.lock(problem))) }
      return
    }
    if !problems.isEmpty {
      Console.err(DiagnosticText.render(problems, style: style))
      ci.annotate(problems)
      throw Failure.told(3)
    }
  }

  /// The same for commands that are not runs: warnings are printed.
  mutating func readLock(_ manner: LockManner, for selection: [TargetID]) throws {
    var warnings: [Diagnostic] = []
    try readLock(manner, for: selection) { event in
      if case .warning(.lock(let diagnostic)) = event { warnings.append(diagnostic) }
    }
    guard !warnings.isEmpty, verbosity != .silent else { return }
    Console.err(DiagnosticText.render(warnings, style: style))
    ci.annotate(warnings)
  }

  /// Performs `work`, and repeats it whenever the lock file has changed since it was read.
  ///
  /// This happens if the process waited for an `update`.
  mutating func withLock<Result>(
    _ manner: LockManner, for selection: [TargetID], report: (RunEvent) -> Void,
    _ work: (Workspace) throws(RunFault) -> Result
  ) throws -> Result {
    var project = self
    defer { self = project }
    return try workspace.perform { workspace in
      // The targets are made of the old lock's entries and values.
      guard !workspace.manifest.isExpandable else { throw RunFault.lockFileChanged }
      project.workspace = workspace
      try project.readLock(manner, for: selection, report: report)
      workspace = project.workspace
    } _: { workspace throws(RunFault) in
      try work(workspace)
    }
  }
}
