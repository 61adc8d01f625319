import Execution
import Planning
import Reporting
import SyncModel

/// What a run has said so far, which its result must have however it ends; for one thread.
final class RunAccount {
  /// In the order in which they came.
  private(set) var warnings: [Problem] = []
  private var warningsByTarget: [String: [Problem]] = [:]
  /// The targets that were brought up to date before the whole manifest was known, and their numbers here.
  private var early: [TargetResult] = []
  private var earlyNumbers: [String: Int] = [:]
  /// What was said before the run began again.
  private var saidBefore: [Problem] = []
  private let report: (Event) -> Void

  init(_ report: @escaping (Event) -> Void) { self.report = report }

  /// The run begins, perhaps again: a warning that comes again is not told twice.
  func begin() {
    saidBefore += warnings
    (warnings, warningsByTarget) = ([], [:])
  }

  /// Hears of the run itself.
  func tell(_ event: RunEvent, of manifest: SyncModel.Manifest) {
    switch event {
    case .finished(let result): report(.finished(withWarnings(TargetResult(result, of: manifest))))
    case .warning(let warning): warn(Problem(warning, manifest))
    default: if let event = Event(event, of: manifest) { report(event) }
    }
  }

  /// Hears of what is done to know the manifest's values and lists. The run itself begins later, and tells the results of
  /// these targets with all others.
  func tellEarly(_ event: RunEvent, of manifest: SyncModel.Manifest) {
    switch event {
    case .started: break
    case .finished(let result): if result.outcome != .skipped { add(TargetResult(result, of: manifest)) }
    default: tell(event, of: manifest)
    }
  }

  private func add(_ result: TargetResult) {
    if let number = earlyNumbers[result.name] {
      early[number] = result
    } else {
      earlyNumbers[result.name] = early.count
      early.append(result)
    }
  }

  func warn(_ problem: Problem) {
    warnings.append(problem)
    if let target = problem.target { warningsByTarget[target, default: []].append(problem) }
    if let place = saidBefore.firstIndex(of: problem) {
      saidBefore.remove(at: place)
    } else {
      report(.warning(problem))
    }
  }

  // MARK: Results

  /// With the warnings that name the target.
  private func withWarnings(_ result: TargetResult) -> TargetResult {
    warningsByTarget[result.name].map { result.with(warnings: $0) } ?? result
  }

  func result(_ outcome: RunOutcome, of manifest: SyncModel.Manifest) -> RunResult {
    RunResult(outcome, of: manifest, warnings).withTargets(withWarnings)
  }

  /// The results of files in the outcome's order, under names of their own. Each has the manifest's warnings, those of the
  /// run, and those that name it.
  func results(
    _ outcome: RunOutcome, of manifest: SyncModel.Manifest, named names: [String],
    manifestWarnings: [Problem]
  ) -> [TargetResult] {
    let shared = manifestWarnings + warnings.filter { $0.target == nil }
    return zip(outcome.results, names).map { result, name in
      let own = warningsByTarget.isEmpty ? nil : warningsByTarget[manifest.secrets.mask(result.name.text)]
      return TargetResult(
        result, of: manifest, name: name, warnings: own.map { shared + $0.map { $0.about(name) } } ?? shared,
        isCancelled: outcome.status == .interrupted)
    }
  }

  /// The run could not begin, or not go on; targets that had ended are told of now.
  func result(_ error: SyncError) -> RunResult {
    let ended = early.map(withWarnings)
    for result in ended { report(.finished(result)) }
    return RunResult(error, ended, warnings)
  }
}
