import StateStore
import SyncModel
import Transfer

/// Asks the sources of a compiled snapshot whether they have anything new (docs/decisions/0010).
struct Revalidator {
  /// The requests to hand over if not every source has confirmed.
  let early: EarlyAnswers
  /// Whether every source has confirmed the local file.
  let areAllConfirmed: Bool
  /// How long it took.
  let duration: Duration
  private let outputs: [UInt8]
  /// The time before the first reply: none of them is older.
  private let askedAt: Timestamp

  /// Prepares a round in advance, on any thread.
  static func prepare() { TransferLoop.prepare() }

  /// Asks until all sources have confirmed, or until the run must take the full path; the caller holds the run
  /// lock.
  ///
  /// `nil` if no request was sent.
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
