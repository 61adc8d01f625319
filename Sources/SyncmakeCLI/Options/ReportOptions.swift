import ArgumentParser

/// The options for reports of a run.
struct ReportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the paths of outputs whose content changed, one per line. With -, they go to standard output and the run's own lines to standard error.",
      valueName: "file"),
    completion: .file())
  var changed: String?

  @Option(
    help: ArgumentHelp(
      "Write events as they happen, one JSON object per line; - is standard output.", valueName: "file"),
    completion: .file())
  var events: String?

  @Option(
    help: ArgumentHelp("Write a JUnit file, in which each target is a test case.", valueName: "file"),
    completion: .file())
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Write a trace for Perfetto or chrome://tracing, with a row per connection.", valueName: "file"),
    completion: .file())
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "Write an HTML page with graph, timeline, table and errors.", valueName: "file"),
    completion: .file())
  var report: String?

  @Option(
    help: ArgumentHelp(
      "Write a depfile for make or ninja: FILE without .d depends on the local files that the run read.",
      valueName: "file"), completion: .file())
  var depfile: String?

  @Option(
    help: ArgumentHelp(
      "Write for a CI system's log: auto, github, gitlab or none. auto decides by the environment.",
      valueName: "platform"))
  var ci: CIChoice = .auto

  func validate() throws {
    for (option, path) in named where path.isEmpty {
      throw ValidationError("\(option) needs a file's name")
    }
    if let depfile,
      !depfile.hasSuffix(Depfile.suffix) || depfile.hasSuffix("/" + Depfile.suffix)
        || depfile == Depfile.suffix
    {
      throw ValidationError("--depfile needs a name such as stamp.d, where stamp is the output of your rule")
    }
    var taken: Set<String> = []
    for (_, path) in named where !taken.insert(ReportFile.isStandardOutput(path) ? "-" : path).inserted {
      throw ValidationError("two reports cannot both go to \(path)")
    }
  }

  /// Whether one of them goes to standard output, which is then its alone.
  var takesStandardOutput: Bool { named.contains { ReportFile.isStandardOutput($0.path) } }

  /// Refuses a report on standard output beside a document.
  func refuseBeside(json: Bool) throws {
    if json, takesStandardOutput {
      throw ValidationError("--json and a report cannot both go to standard output")
    }
  }

  /// The destination of the run's own lines; none if `printsJSON` needs standard output for a document.
  func ownLines(printsJSON: Bool) -> OwnLines {
    if printsJSON { return .nowhere }
    guard takesStandardOutput else { return .standardOutput }
    return changed.map(ReportFile.isStandardOutput) == true ? .standardError : .nowhere
  }

  /// Whether one of them has each request.
  var showsRequests: Bool { events != nil || trace != nil }

  /// Whether one of them shows the times of each part of a target's work.
  var showsTimes: Bool { showsRequests || junit != nil || report != nil }

  /// The first of these options that was given; `nil` if none was.
  var first: String? { named.first?.option }

  /// The requested reports.
  private var named: [(option: String, path: String)] {
    [
      ("--changed", changed), ("--events", events), ("--junit", junit), ("--trace", trace),
      ("--report", report),
      ("--depfile", depfile),
    ].compactMap { option, path in path.map { (option, $0) } }
  }
}
