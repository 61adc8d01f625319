import Execution
import Platform
import Reporting
import SyncModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The way of a run, of `plan` or of `-q`, that finds nothing to do by the compiled snapshot: without the manifest, the
/// state or even the argument parser.
enum QuickRun {
  /// A terminal with a progress display must not stay empty for longer.
  private static let unseenTime = Duration.milliseconds(300)

  /// Whether the command line is finished; if not, `found` has what was asked and learned so far, and the process is in
  /// the folder where it was.
  static func succeeds(_ arguments: [String], _ found: inout QuickCheck.Answer) -> Bool {
    guard let quick = QuickArguments(arguments), quick.isPlain, !Environment.isWithoutSnapshots else {
      return false
    }
    guard !quick.directories.isEmpty else { return succeeds(quick, &found) }
    // The full path enters the folders itself, since its messages name them as they were given.
    guard let start = try? WorkingFolder() else { return false }
    let isFinished = quick.directories.allSatisfy { unsafe chdir($0) == 0 } && succeeds(quick, &found)
    // If the process cannot return, the full path cannot enter its folders and reports that.
    if !isFinished { try? start.enter() }
    return isFinished
  }

  /// The same in the folder of the manifest.
  private static func succeeds(_ quick: QuickArguments, _ found: inout QuickCheck.Answer) -> Bool {
    let isRun = !quick.isQuestion && !quick.isPlan
    // A signal that arrives now stays pending: the full path handles it, or the program ends a moment later.
    let signals = Interruption.blockSignals()
    guard let place = ManifestLocation(file: quick.file, stateDir: quick.stateDir, caller: .process),
      place.stateObjection == nil,
      var question = place.quickQuestion(isRun: isRun)
    else { return false }
    question.overwritesEdits = quick.overwrites
    question.namesGone = quick.isPlan
    question.isUnwanted = { Interruption.isPending(signals) }
    // Read once at most, and only where it is asked for.
    var read: UserSettings??
    func user() -> UserSettings? {
      if read == nil { read = .some(UserSettings.quick()) }
      return read.flatMap { $0 }
    }
    if isRun, !quick.isOffline { question.asking = { asking(quick, user(), signals) } }
    var live: LiveConsole?
    let draws = isRun && !quick.isSilent && ProgressChoice.auto.drawsLines
    question.askLists = {
      guard let user = user(), user.configuration.leavesRequests else { return nil }
      var settings = user.settings(jobs: quick.jobs)
      settings.questions.isOffline = quick.isOffline
      return ListAsking.askEarly(
        place, settings: settings, keeps: isRun,
        watch: { askers in
          guard draws else { return nil }
          let console = LiveConsole(askers, style: Console.errStyle(.auto))
          console.handle(.started(targets: askers.targets.count))
          live = console
          return console.handle
        }, isUnwanted: { Interruption.isPending(signals) })
    }
    found = QuickCheck.answer(question)
    live?.finish()
    // In a CI system each target is reported.
    if CIPlatform.detected != nil { found.open = nil }
    // A configuration that cannot be used is an error, also for a run that needs nothing of it.
    guard let answer = found.allFresh, UserSettings.areAbsent || user() != nil,
      !Interruption.isPending(signals)
    else { return false }
    // Only the output remains, and its reader may block forever.
    Interruption.unblock(signals)
    guard !isRun || summarises(answer) else { return false }
    if !quick.isQuestion, !quick.isSilent {
      Console.out(SummaryText.allFresh(answer.count, first: answer.onlyName) + "\n")
    }
    return true
  }

  /// `nil` if the user's configuration makes other requests of a snapshot's, or cannot be used.
  private static func asking(
    _ quick: QuickArguments, _ user: UserSettings?, _ signals: sigset_t
  ) -> QuickCheck.Asking? {
    guard let user, user.configuration.leavesRequests else { return nil }
    let isShown = !quick.isSilent && ProgressChoice.auto.drawsLines
    var end: Duration?
    return QuickCheck.Asking(
      jobs: min(user.jobs(quick.jobs), Environment.mostJobs), network: Environment.network,
      timeScale: Environment.timeScale
    ) {
      let now = SystemClock.monotonic()
      // From the first time on that answers were waited for.
      let unseen = end ?? now + unseenTime
      end = unseen
      return Interruption.isPending(signals) || isShown && now > unseen
    }
  }

  /// Writes to a step's files what the full path would write; `false` hands over to that path, which reports why it cannot.
  private static func summarises(_ answer: QuickCheck.AllFresh) -> Bool {
    guard CIPlatform.detected == .github else { return true }
    do throws(ReportFile.Problem) {
      // The outputs first: written twice they are the same, and a summary would have two parts.
      try StepFile.append(to: CIPlatform.outputPath) { _ in StepOutputs.allFresh }
      try StepFile.append(to: CIPlatform.summaryPath) { size in
        let text = StepSummary.allFresh(answer.count, first: answer.onlyName)
        return text.utf8.count <= StepSummary.limit - size ? text : ""
      }
      return true
    } catch {
      return false
    }
  }
}
