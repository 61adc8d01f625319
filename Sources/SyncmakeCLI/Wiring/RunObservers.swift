import Execution
import Reporting
import SyncModel

/// All observers of a run: people, a terminal with a drawing, a CI log, reports.
///
/// Only the deciding thread calls it.
final class RunObservers {
  private let narrator: RunNarrator
  private let live: LiveConsole?
  private let ci: CIConsole
  private let reports: RunReports
  private let past: EarlierReadings
  private let out: (String) -> Void

  /// With `draws`, progress is drawn on the terminal until ``endDrawing()``. `lines` is the destination of results for
  /// people; the rest is as for ``RunNarrator``.
  init(
    _ project: Project, _ reports: RunReports, draws: Bool = false, lines: OwnLines,
    listsTargets: Bool = true, selection: [TargetID]? = nil
  ) {
    let live = draws ? LiveConsole(project.manifest, style: project.style) : nil
    self.live = live
    self.reports = reports
    past = project.past
    let ci = CIConsole(project.ci, project, folds: lines == .standardOutput)
    self.ci = ci
    let outIsTerminal = Console.outIsTerminal
    let print: (String, @escaping (String) -> Void) -> Void = { text, print in
      if let live { live.above(text, print: print) } else { print(text) }
    }
    out = { text in
      switch lines {
      case .standardOutput:
        ci.willPrint()
        // What does not go to the terminal of the drawing need not wait.
        if outIsTerminal { print(text, Console.out) } else { Console.out(text) }
      case .standardError: print(text, Console.err)
      case .nowhere: break
      }
    }
    let narrator = RunNarrator(
      manifest: project.manifest, style: project.style,
      outStyle: lines == .standardError ? project.style : project.outStyle, verbosity: project.verbosity,
      listsTargets: listsTargets, selection: selection, shard: project.shard?.shard,
      out: out, err: { print($0, Console.err) })
    self.narrator = narrator
    reports.onTrouble = { narrator.handle(.warning($0)) }
  }

  func tell(_ event: RunEvent) {
    if case .waitingForLock = event { past.add(wait: event) }
    // What the narrator prints goes above the drawing, in one step with what the event changed there.
    live?.note(event)
    narrator.handle(event)
    live?.update()
    ci.handle(event)
    reports.handle(event)
  }

  /// Makes a run report what the observers need.
  func setWishes(in settings: inout RunSettings) {
    settings.reports.hasProgress = live != nil || reports.wantProgress
    settings.reports.hasTimes = reports.wantTimes
  }

  /// Removes the drawing; to be called before anything else is printed than by the observers.
  func endDrawing() { live?.finish() }

  /// Prints a result that belongs to no single target, in whole lines.
  func tellResult(_ text: String) { out(text) }

  /// The run ended, or could not begin: completes everything that is not for people.
  func finishReports(_ outcome: RunOutcome) {
    reports.finish(outcome)
    ci.finish(outcome, onTrouble: reports.onTrouble)
  }

  /// The targets of `project` that were chosen could not be begun.
  func finishNotBegun(_ outcome: RunOutcome, _ project: Project) {
    // What was done for values and lists is a part of the run, which has begun then.
    let hasBegun = !project.ended.isEmpty || project.manifest.isExpandable && outcome.status == .interrupted
    if hasBegun {
      tell(.started(targets: outcome.results.count))
      for result in outcome.results { tell(.finished(result)) }
    }
    finishReports(outcome)
    if hasBegun, outcome.status == .interrupted { finish(outcome, keepsGoing: true) }
  }

  /// Tells people of the end of a run with or without `-k`.
  func finish(_ outcome: RunOutcome, keepsGoing: Bool) {
    narrator.finish(
      status: outcome.status, results: outcome.results, confirmed: outcome.confirmed, keepsGoing: keepsGoing,
      duration: outcome.duration)
  }
}

extension Project {
  /// Whether the progress of a run with these `reports` is drawn on the terminal.
  func draws(_ progress: ProgressChoice, beside reports: ReportOptions) -> Bool {
    // If a report's lines go to the same terminal, nothing can be drawn between them. The list of changed outputs
    // comes after the run.
    if reports.takesStandardOutput, reports.ownLines(printsJSON: false) == .nowhere, Console.outIsTerminal {
      return false
    }
    return verbosity != .silent && progress.drawsLines
  }

  /// The standard error of what looks or prepares: warnings, whom it waits for, and with `-v` all requests.
  var tellOfLooking: (RunEvent) -> Void { tellOfLooking(at: manifest) }

  /// Says of which targets nothing is known, after ``expandStoredLists()``.
  func tellUnlisted() {
    guard verbosity != .silent else { return }
    for line in UnlistedText.lines(manifest) { Console.err("syncmake: \(CleanText.clean(line))\n") }
  }

  /// The same for other targets than the project's, perhaps with a drawing of their progress.
  func tellOfLooking(at manifest: Manifest, _ live: LiveConsole? = nil) -> (RunEvent) -> Void {
    let err: (String) -> Void = { text in
      if let live { live.above(text, print: Console.err) } else { Console.err(text) }
    }
    let narrator = RunNarrator(
      manifest: manifest, style: style, verbosity: verbosity, out: { _ in }, err: err)
    return { [verbosity] event in
      live?.note(event)
      switch event {
      case .warning, .waitingForLock: narrator.handle(event)
      default: if verbosity == .verbose { narrator.handle(event) }
      }
      live?.update()
    }
  }
}
