import Transfer

/// What ``QuickCheck`` asked sources before it found that the ordinary way is to be gone; a run takes it over, so that
/// nobody is asked twice.
package final class EarlyAnswers {
  private let round: RevalidationRound
  private(set) lazy var replies = round.handOver()

  init(_ round: RevalidationRound) { self.round = round }
}
