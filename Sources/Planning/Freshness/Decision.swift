package import SyncModel

/// A verdict, and what in the table of the contract, section 3 it rests on.
package struct Decision: Sendable, Equatable {
  /// Fresh, stale, undecided, or why there is none of the three.
  package var verdict: Verdict
  /// The line of the table that decided or waits for a fact.
  package var line: TableLine
  /// The record behind the verdict: an intention's, if the output is what an interrupted run was about to publish;
  /// `nil` if nothing is known of the output.
  package var record: TargetRecord?
  /// The output's bytes are the record's but its size and times are not, or ``record`` was an intention's: the run
  /// should store ``record`` with the output's present signature.
  package var recordNeedsRenewal: Bool

  /// `record` is `nil` if nothing is known of the output; without a record nothing can need renewal.
  package init(_ verdict: Verdict, line: TableLine, record: TargetRecord?, recordNeedsRenewal: Bool = false) {
    self.verdict = verdict
    self.line = line
    self.record = record
    self.recordNeedsRenewal = recordNeedsRenewal
  }
}
