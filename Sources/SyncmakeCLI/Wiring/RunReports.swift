import ArgumentParser
import Execution
import LocalFiles
import Reporting
import SyncModel

extension RunEnd {
  /// Of this outcome.
  init(_ outcome: RunOutcome) {
    self.init(results: outcome.results, status: outcome.status, duration: outcome.duration)
    failure = outcome.failure
  }
}

/// The files that a run writes about itself, from before its beginning to its end.
///
/// All of it is called on the one thread that decides. A file that cannot be written any more harms no run: it is
/// a warning, once, and the others go on.
final class RunReports {
  /// One report and where it goes.
  private struct Channel {
    var report: any RunReport
    let file: ReportFile
    var isBroken = false
  }

  /// Whether somebody wants to hear when each part of a target's life began and ended.
  private(set) var wantTimes = false
  /// Whether somebody wants to hear of bodies on their way, and of time that passes.
  private(set) var wantProgress = false
  /// What to do with the warning that a file cannot be written.
  var onTrouble: (RunWarning) -> Void = { _ in }
  private var channels: [Channel] = []
  private var depfile: Depfile?

  /// Opens each file that `options` name; one that cannot be written ends in status 64 before anything begins.
  init(_ options: ReportOptions, _ project: Project, printsJSON: Bool) throws {
    if printsJSON, options.takesStandardOutput {
      throw Failure.usage("--json and a report cannot both go to standard output", project.style)
    }
    wantTimes = [options.events, options.junit, options.trace, options.report].contains { $0 != nil }
    let header = RunHeader(
      manifest: project.manifest, manifestPath: CIPlatform.inRepository(project.manifest.fileName),
      version: Version.number, time: SystemClock.now(),
      began: SystemClock.monotonic())
    var start = ""
    if let path = options.events {
      wantProgress = true
      let lines = EventLines(header)
      try add(lines, path, .streamed, project)
      start = lines.start()
    }
    if let path = options.changed { try add(ChangedList(header), path, .whole, project) }
    if let path = options.junit { try add(JUnitXML(header), path, .whole, project) }
    if let path = options.trace { try add(TraceFile(header), path, .whole, project) }
    if let path = options.report { try add(RunPageFile(header), path, .whole, project) }
    if let path = options.depfile {
      let depfile = try checked(path, project) { () throws(ReportFile.Problem) in try Depfile(path, project) }
      try refuseSame(depfile.file, project)
      self.depfile = depfile
    }
    // Only now, when none of them is refused any more, may one be emptied.
    for file in files {
      try checked(file.path, project) { () throws(ReportFile.Problem) in try file.open() }
    }
    write(start, to: 0)
  }

  private var files: [ReportFile] { channels.map(\.file) + (depfile.map { [$0.file] } ?? []) }

  func handle(_ event: RunEvent) {
    guard !channels.isEmpty else { return }
    let now = SystemClock.monotonic()
    for index in channels.indices {
      write(channels[index].report.handle(event, at: now), to: index)
      if case .tick = event { flush(index) }
    }
  }

  /// The run is over: completes every file and puts it in place.
  func finish(_ outcome: RunOutcome) {
    let now = SystemClock.monotonic()
    let end = RunEnd(outcome)
    for index in channels.indices {
      write(channels[index].report.finish(end, at: now), to: index)
      perform(index) { (file) throws(ReportFile.Problem) in try file.close() }
    }
    channels = []
    do throws(ReportFile.Problem) { try depfile?.finish(outcome) } catch {
      onTrouble(.reportUnwritable(path: depfile?.path ?? "", why: error.text))
    }
    depfile = nil
  }

  private func add(_ report: any RunReport, _ path: String, _ manner: ReportFile.Manner, _ project: Project)
    throws
  {
    let file = try checked(path, project) { () throws(ReportFile.Problem) in
      try ReportFile(path, manner, beside: project)
    }
    try refuseSame(file, project)
    channels.append(Channel(report: report, file: file))
  }

  private func refuseSame(_ file: ReportFile, _ project: Project) throws {
    guard let place = file.place, let other = files.first(where: { $0.place?.isSame(as: place) == true })
    else {
      return
    }
    throw Failure.usage(
      "two reports cannot both go to one file: \(other.path) is \(file.path)", project.style)
  }

  private func checked<Value>(
    _ path: String, _ project: Project, _ work: () throws(ReportFile.Problem) -> Value
  ) throws -> Value {
    do throws(ReportFile.Problem) { return try work() } catch {
      throw Failure.usage("cannot write \(path): \(error.text)", project.style)
    }
  }

  private func write(_ text: String, to index: Int) {
    if !text.isEmpty { perform(index) { (file) throws(ReportFile.Problem) in try file.write(text) } }
  }

  private func flush(_ index: Int) {
    perform(index) { (file) throws(ReportFile.Problem) in try file.flush() }
  }

  private func perform(_ index: Int, _ work: (ReportFile) throws(ReportFile.Problem) -> Void) {
    guard !channels[index].isBroken else { return }
    do throws(ReportFile.Problem) { try work(channels[index].file) } catch {
      channels[index].isBroken = true
      onTrouble(.reportUnwritable(path: channels[index].file.path, why: error.text))
    }
  }
}
