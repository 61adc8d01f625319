import StateStore
import SyncModel
import Transfer

/// Asks the sources of a compiled snapshot whether they have anything new (docs/decisions/0010).
struct Revalidator {
  /// What was asked, to be taken over where not all is well.
  let early: EarlyAnswers
  /// Whether every source has confirmed what is here.
  let areAllConfirmed: Bool
  /// How long it took.
  let duration: Duration
  private let outputs: [UInt8]
  /// Before the first answer: none of them is older than it says.
  private let askedAt: Timestamp

  /// Does ahead of time, on any thread, what every asking begins with.
  static func prepare() { TransferLoop.prepare() }

  /// Asks until all have confirmed, or until the ordinary way is to be gone; the caller holds the run lock.
  ///
  /// `nil` where nobody was asked.
  init?(_ image: SnapshotImage, _ question: QuickCheck.Question) {
    guard let asking = question.asking?(), let (questions, outputs) = image.questions() else { return nil }
    let settings = TransferSettings(
      asking.network, hosts: HostLimits(), secrets: SecretMask(), timeScale: asking.timeScale)
    guard let round = try? RevalidationRound(questions, settings, jobs: asking.jobs) else { return nil }
    self.outputs = outputs
    early = EarlyAnswers(round)
    askedAt = question.now()
    let began = SuspendingClock.now
    areAllConfirmed = round.run(until: asking.isUnwanted) == .allConfirmed
    duration = SuspendingClock.now - began
  }

  /// Notes when the sources were asked; whether that could be done.
  func note(in folder: String) -> Bool { CheckLog.write(outputs, checkedAt: askedAt, in: folder) }
}
