import StateStore
import SyncModel
import Transfer

/// Asks the sources of a compiled snapshot whether they have anything new (docs/decisions/0010).
struct Revalidator {
  /// The requests to hand over if not every source has confirmed.
  let early: EarlyAnswers
  /// The result of the round.
  let ending: RevalidationRound.Ending
  /// The snapshot's entries whose sources have not confirmed the local file.
  let open: [Int32]
  /// How long it took.
  let duration: Duration
  private let image: SnapshotImage
  private let entries: [Int32]
  /// The time before the first reply: none of them is older.
  private let askedAt: Timestamp

  /// Prepares a round in advance, on any thread.
  static func prepare() { TransferLoop.prepare() }

  /// Asks until all sources have replied, or until the run must take the full path; the caller holds the run lock.
  ///
  /// `nil` if no request was sent.
  init?(_ image: SnapshotImage, _ question: QuickCheck.Question) {
    guard let asking = question.asking?(), let asked = image.questions() else { return nil }
    let settings = TransferSettings(
      asking.network, hosts: HostLimits(), secrets: SecretMask(), timeScale: asking.timeScale)
    guard let round = try? RevalidationRound(asked.questions, settings, jobs: asking.jobs) else { return nil }
    self.image = image
    entries = asked.entries
    early = EarlyAnswers(round)
    askedAt = question.now()
    let began = SuspendingClock.now
    ending = round.run(until: asking.isUnwanted)
    open = ending == .someOpen ? round.open.map { asked.entries[$0] } : []
    duration = SuspendingClock.now - began
  }

  /// Notes the time of the check for the confirmed outputs; returns whether that succeeded.
  func note(in folder: String) -> Bool {
    let left = Set(open)
    let outputs = image.outputs(of: left.isEmpty ? entries : entries.filter { !left.contains($0) })
    return CheckLog.write(outputs, checkedAt: askedAt, in: folder)
  }
}
