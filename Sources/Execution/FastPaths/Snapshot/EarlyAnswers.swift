import Transfer

/// The requests of ``QuickCheck`` before it left the rest to the full path; a run takes them over, so that no
/// source is asked twice.
package final class EarlyAnswers {
  private let round: RevalidationRound
  private(set) lazy var replies = round.handOver()

  init(_ round: RevalidationRound) { self.round = round }
}
