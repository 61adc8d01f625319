import Execution
import LocalFiles
import ManifestParsing
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
    let file = try LockFileOnDisk(workspace.rootPath, self)
    workspace.lockSeen = file.seen
    workspace.lock = nil
    guard let bytes = file.bytes else {
      guard manner == .strict else { return }
      throw Failure.manifest(
        "--locked needs \(file.name), but it does not exist", "`syncmake lock` writes it", style, ci)
    }
    let parse = LockFileParser.parse(bytes, fileName: file.name)
    if !parse.diagnostics.isEmpty {
      Console.err(DiagnosticText.render(parse.diagnostics, style: style))
      ci.annotate(parse.diagnostics)
    }
    guard let lock = parse.lock else { throw Failure.told(3) }
    workspace.lock = lock
    guard manner != .quiet else { return }
    let review = LockReview(lock, manifest)
    let concerning = manner == .strict ? review : review.of(selection)
    let severity: Diagnostic.Severity = manner == .strict ? .error : .warning
    let problems = LockReviewText.diagnostics(
      concerning, manifest: manifest, file: file.name, severity: severity, places: parse.places,
      line: { LockFileParser.line($0, of: bytes) })
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
    for _ in 1..<Self.mostReadings {
      do throws(RunFault) { return try work(workspace) } catch {
        guard error == .lockFileChanged else { throw error }
      }
      try readLock(manner, for: selection, report: report)
    }
    return try work(workspace)
  }

  private static var mostReadings: Int { 5 }
}

/// The lock file's bytes, and its observation before they were read.
private struct LockFileOnDisk {
  let name: String
  let seen: OutputObservation
  /// `nil` if there is no lock file.
  let bytes: [UInt8]?

  init(_ rootPath: String, _ project: Project) throws {
    name = rootPath == "." ? LockFile.fileName : "\(rootPath)/\(LockFile.fileName)"
    do throws(FailureCause) {
      let root = try RootFolder(path: rootPath)
      seen = root.observe(.lockFile)
      bytes = seen == .missing ? nil : try Self.read(try root.openSource(LockFile.fileName))
    } catch {
      throw Failure.manifest(
        FailureText.message(error, secrets: project.secrets), nil, project.style, project.ci)
    }
  }

  /// One byte more than the parser's limit, so that the parser reports it.
  private static func read(_ file: ReadableFile) throws(FailureCause) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 256 << 10)
    while bytes.count <= LockFileParser.maximumSize {
      var count = 0
      var fault: FailureCause?
      unsafe block.withUnsafeMutableBytes { buffer in
        do throws(FailureCause) { count = try unsafe file.read(into: buffer) } catch { fault = error }
      }
      if let fault { throw fault }
      if count == 0 { break }
      bytes += block[..<count]
    }
    return bytes
  }
}
