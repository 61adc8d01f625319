import StateStore
import SyncModel
import Transfer

/// Asks the sources of a compiled snapshot whether they have anything new (docs/decisions/0010).
enum Revalidator {
  struct Answers {
    /// Every source has confirmed what is here, and that is noted.
    var areAllConfirmed = false
    /// What was asked, where not all have confirmed.
    var early: EarlyAnswers?
  }

  /// Does ahead of time, on any thread, what every asking begins with.
  static func prepare() { RevalidationRound.prepare() }

  /// Asks until all have confirmed, or until the ordinary way is to be gone; the caller holds the run lock.
  static func ask(_ image: SnapshotImage, _ question: QuickCheck.Question) -> Answers {
    guard let asking = question.asking, let (questions, outputs) = image.questions() else { return Answers() }
    let settings = TransferSettings(
      asking.network, hosts: HostLimits(), secrets: SecretMask(), timeScale: asking.timeScale)
    guard let round = try? RevalidationRound(questions, settings, jobs: asking.jobs) else { return Answers() }
    guard round.run(until: asking.isUnwanted) == .allConfirmed,
      CheckNote.write(outputs, checkedAt: question.now(), in: question.statePath)
    else { return Answers(early: EarlyAnswers(round.handOver())) }
    return Answers(areAllConfirmed: true)
  }
}
