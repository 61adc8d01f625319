import Execution
import Reporting
import SyncModel

/// Everybody who is told of a run: people, a terminal that is drawn on, a pipeline's log, files.
///
/// All of it is called on the one thread that decides.
final class RunObservers {
  private let narrator: RunNarrator
  private let live: LiveConsole?
  private let ci: CIConsole
  private let reports: RunReports
  private let out: (String) -> Void

  /// `lines` says where results for people go; the rest as ``RunNarrator`` takes it.
  init(
    _ project: Project, _ live: LiveConsole?, _ reports: RunReports, lines: OwnLines,
    listsTargets: Bool = true, selection: [TargetID]? = nil
  ) {
    self.live = live
    self.reports = reports
    let ci = CIConsole(project.ci, project, folds: lines == .standardOutput)
    self.ci = ci
    let print: (String, (String) -> Void) -> Void = { text, print in
      if let live { live.above(text, print: print) } else { print(text) }
    }
    out = { text in
      switch lines {
      case .standardOutput:
        ci.willPrint()
        print(text, Console.out)
      case .standardError: print(text, Console.err)
      case .nowhere: break
      }
    }
    let narrator = RunNarrator(
      manifest: project.manifest, style: project.style,
      outStyle: lines == .standardError ? project.style : project.outStyle, verbosity: project.verbosity,
      listsTargets: listsTargets, selection: selection,
      out: out, err: { print($0, Console.err) })
    self.narrator = narrator
    reports.onTrouble = { narrator.handle(.warning($0)) }
  }

  func tell(_ event: RunEvent) {
    narrator.handle(event)
    live?.handle(event)
    ci.handle(event)
    reports.handle(event)
  }

  /// Tells people of a result that is no single target's, in whole lines.
  func tellResult(_ text: String) { out(text) }

  /// The run is over, or could not begin: completes what is not for people.
  func finishReports(_ outcome: RunOutcome) {
    reports.finish(outcome)
    ci.finish(outcome, onTrouble: reports.onTrouble)
  }

  /// Tells people of the end.
  func finish(_ outcome: RunOutcome) {
    narrator.finish(status: outcome.status, results: outcome.results, duration: outcome.duration)
  }
}

extension Project {
  /// What commands that only look tell people on standard error: warnings, and with `-v` all that is asked.
  var tellOfLooking: (RunEvent) -> Void {
    let narrator = RunNarrator(
      manifest: manifest, style: style, verbosity: verbosity, out: { _ in }, err: Console.err)
    return { [verbosity] event in
      if case .warning = event {
        narrator.handle(event)
      } else if verbosity == .verbose {
        narrator.handle(event)
      }
    }
  }
}
