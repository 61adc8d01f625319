package import SyncModel

/// A verdict, and what in the table of the contract, section 3 it rests on.
package struct Decision: Sendable, Equatable {
  package var verdict: Verdict
  /// The line of the table that decided or waits for a fact.
  package var line: TableLine
  /// The record that the verdict rests on: a pending one where the output is what was about to be put in
  /// place when a run was cut off; `nil` where nothing is known of the output.
  package var record: TargetRecord?
  /// The output's bytes are the record's but its size and times are not, or ``record`` was pending: the run
  /// should store ``record`` with the output's signature as it stands now.
  package var recordNeedsRenewal: Bool

  package init(_ verdict: Verdict, line: TableLine, record: TargetRecord?, recordNeedsRenewal: Bool = false) {
    self.verdict = verdict
    self.line = line
    self.record = record
    self.recordNeedsRenewal = recordNeedsRenewal
  }
}
