import Platform
import Reporting
import SyncModel

/// What a command has done and told before it begins again (``Rereading``): that is a part of the run that it reports.
///
/// Only the deciding thread uses it.
final class EarlierReadings {
  /// What happened before the targets were known; `nil` if nothing did.
  private(set) var tale: EarlyTale?
  /// What was brought up to date for values.
  private(set) var updated: [TargetName: TargetResult] = [:]
  private let start = (time: SystemClock.now(), moment: SystemClock.monotonic())
  private var waits: [(event: RunEvent, at: Duration)] = []
  private var told: [Diagnostic] = []
  private var hasBegunAgain = false

  /// The tale of what comes before the targets are known.
  func beginTale() -> EarlyTale {
    let tale = tale ?? EarlyTale(time: SystemClock.now(), began: SystemClock.monotonic())
    self.tale = tale
    return tale
  }

  /// Takes what was told of a target that has a value.
  func add(_ event: RunEvent) {
    guard case .finished(let result) = event, result.outcome == .updated else { return }
    updated[result.name] = result
  }

  /// Takes that the run waited for another one, which its own reports have heard.
  func add(wait: RunEvent) { waits.append((wait, SystemClock.monotonic())) }

  /// The command begins again: its new reports have to hear of what happened.
  func beginAgain() {
    let tale = tale ?? EarlyTale(time: start.time, began: start.moment)
    for wait in waits { tale.add(wait: wait.event, at: wait.at) }
    waits = []
    hasBegunAgain = true
    tale.forgetLists()
    self.tale = tale
  }

  /// Those of `problems` that nobody has been told yet, who is now.
  func untold(_ problems: [Diagnostic]) -> [Diagnostic] {
    let untold = hasBegunAgain ? problems.filter { !told.contains($0) } : problems
    told += untold
    return untold
  }
}
