import ArgumentParser
import Execution
import Platform
import Reporting
import SyncModel

extension RunEnd {
  /// Of this outcome.
  init(_ outcome: RunOutcome) {
    self.init(results: outcome.results, status: outcome.status, duration: outcome.duration)
    failure = outcome.failure
  }
}

/// The reports of a run, from before its start to its end.
///
/// Only the deciding thread calls it. If a report can no longer be written, there is one warning, and the run and
/// the other reports continue.
final class RunReports {
  /// One report and its destination.
  private struct Channel {
    var report: any RunReport
    let file: ReportFile
    var isBroken = false
  }

  /// Whether a report needs the times of each part of a target's work.
  private(set) var wantTimes = false
  /// Whether a report needs progress and the passing of time.
  private(set) var wantProgress = false
  /// Called with the warning that a report cannot be written.
  var onTrouble: (RunWarning) -> Void = { _ in }
  private var channels: [Channel] = []
  private var depfile: Depfile?

  /// Ends in status 64 if a file that `options` name cannot be written by what is known of the targets so far.
  static func check(_ options: ReportOptions, _ project: Project) throws {
    _ = try RunReports(options, project, opensFiles: false)
  }

  /// Opens each file that `options` name; one that cannot be written ends in status 64 before anything begins.
  convenience init(_ options: ReportOptions, _ project: Project) throws {
    try self.init(options, project, opensFiles: true)
  }

  private init(_ options: ReportOptions, _ project: Project, opensFiles: Bool) throws {
    wantTimes = options.showsTimes
    var header = RunHeader(
      manifest: project.manifest, manifestPath: CIPlatform.inRepository(project.manifest.fileName),
      version: Version.number, time: project.tale?.time ?? SystemClock.now(),
      began: project.tale?.began ?? SystemClock.monotonic())
    header.shard = project.shard
    var start = ""
    if let path = options.events {
      wantProgress = true
      var lines = EventLines(header)
      start = lines.start()
      if let tale = project.tale { start += lines.take(tale, in: project.manifest) }
      try add(lines, path, .streamed, project)
    }
    if let path = options.changed { try add(ChangedList(header), path, .whole, project) }
    if let path = options.junit { try add(JUnitXML(header), path, .whole, project) }
    if let path = options.trace {
      var trace = TraceFile(header)
      if let tale = project.tale { _ = trace.take(tale, in: project.manifest) }
      try add(trace, path, .whole, project)
    }
    if let path = options.report {
      var page = RunPageFile(header)
      if let tale = project.tale { _ = page.take(tale, in: project.manifest) }
      try add(page, path, .whole, project)
    }
    if let path = options.depfile {
      let depfile = try checked(path, project) { () throws(ReportFile.Problem) in try Depfile(path, project) }
      try refuseSame(depfile.file, project)
      self.depfile = depfile
    }
    guard opensFiles else { return }
    // Files are emptied only now, after all of them were accepted.
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
      throw Failure.report(path, error, project.style)
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
