import Execution
import Platform
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The additional lines in a CI log: folds, annotations, the step's summary.
///
/// Annotations go to standard error, as errors do: runners read both streams, and standard output may contain a
/// document.
final class CIConsole {
  private enum Fold { case unopened, open, closed }

  private let platform: CIPlatform?
  private let project: Project
  private let folds: Bool
  private var fold = Fold.unopened
  private var annotations: GitHubAnnotations

  /// `folds` is `false` if standard output is not for people.
  init(_ platform: CIPlatform?, _ project: Project, folds: Bool) {
    self.platform = platform
    self.project = project
    self.folds = folds
    annotations = GitHubAnnotations(project.manifest, path: CIPlatform.inRepository)
  }

  func handle(_ event: RunEvent) {
    if platform == .github { annotations.handle(event) }
  }

  /// To be called before a line for people goes to standard output.
  func willPrint() {
    guard fold == .unopened, folds, let platform else { return }
    fold = .open
    let title = "syncmake: targets"
    switch platform {
    case .github: Console.out(GitHubCommand.group(title))
    case .gitlab: Console.out(GitLabSection.start(title, at: SystemClock.now()))
    }
  }

  /// Ends the fold, if one was begun: what follows is for everybody to see.
  func unfold() {
    if fold == .open {
      switch platform {
      case .github: Console.out(GitHubCommand.endGroup)
      case .gitlab: Console.out(GitLabSection.end(at: SystemClock.now()))
      case nil: break
      }
    }
    fold = .closed
  }

  /// The run is over; `onTrouble` gets the warning that the summary cannot be written.
  func finish(_ outcome: RunOutcome, onTrouble: (RunWarning) -> Void) {
    unfold()
    guard platform == .github else { return }
    let lines = annotations.lines(errorsOnly: project.verbosity == .silent)
    if !lines.isEmpty { Console.err(lines) }
    let end = RunEnd(outcome)
    do throws(ReportFile.Problem) {
      try StepFile.append(to: CIPlatform.summaryPath) { size in
        StepSummary(end, manifest: project.manifest, shard: project.shard?.shard)
          .markdown(room: max(0, StepSummary.limit - size))
      }
    } catch {
      onTrouble(.reportUnwritable(path: CIPlatform.summaryPath ?? "", why: error.text))
    }
    do throws(ReportFile.Problem) {
      try StepFile.append(to: CIPlatform.outputPath) { _ in StepOutputs.text(end, secrets: project.secrets) }
    } catch {
      onTrouble(.reportUnwritable(path: CIPlatform.outputPath ?? "", why: error.text))
    }
  }
}

/// A file that GitHub names in the environment, to which every program of a step adds.
enum StepFile {
  /// Appends the result of `text`, which gets the file's size in bytes; does nothing if `path` is `nil`.
  static func append(to path: String?, _ text: (_ size: Int) -> String) throws(ReportFile.Problem) {
    guard let path else { return }
    let descriptor = openForAppending(path)
    guard descriptor >= 0 else { throw .present }
    defer { _ = close(descriptor) }
    var status = stat()
    let size = unsafe fstat(descriptor, &status) == 0 ? Int(clamping: status.st_size) : 0
    // What the step has written before may lack its line's end, and would take our first line into its own.
    let start = size > 0 && !endsLine(path, size) ? "\n" : ""
    try ReportFile.write(start + text(size), to: descriptor)
  }

  /// Whether the last byte ends a line; also where it cannot be read.
  private static func endsLine(_ path: String, _ size: Int) -> Bool {
    guard let file = try? Descriptor(path, in: AT_FDCWD, O_RDONLY) else { return true }
    var last: UInt8 = 0
    return unsafe pread(file.raw, &last, 1, off_t(size - 1)) != 1 || last == UInt8(ascii: "\n")
  }

  private static func openForAppending(_ path: String) -> Int32 {
    unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666)
  }
}
