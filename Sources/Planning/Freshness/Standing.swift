package import SyncModel

/// A verdict "fresh" that needs no request: it is valid as long as its facts are unchanged.
package struct Standing: Sendable, Equatable {
  /// The signature of the output, on which ownership rests.
  package var signature: FileSignature
  /// The period in which the rule has the same verdict; only an interval's verdict ends.
  package var period: TimeSpan

  /// `nil` if the target is not fresh, if the source or a sidecar was asked, if the output was read, or if
  /// something must be recorded: anything that the next run would have to repeat.
  package init?(_ decision: Decision, _ question: FreshnessQuestion) {
    guard case .fresh(let reason) = decision.verdict, let record = decision.record,
      !decision.recordNeedsRenewal, question.facts.outputDigests == nil, question.facts.sourceAnswer == nil,
      record.output == question.target.path, record.name == question.target.name,
      question.renewedDefinition(of: record, by: reason) == nil,
      question.output == .file(record.signature),
      let period = Self.period(reason, question.target.freshness, record)
    else { return nil }
    signature = record.signature
    self.period = period
  }

  private static func period(_ reason: FreshReason, _ rule: FreshnessRule?, _ record: TargetRecord)
    -> TimeSpan?
  {
    switch reason {
    // What the list says is a premise of the snapshot.
    case .present, .inputsUnchanged, .listUnchanged: return .always
    case .digestMatches:
      if case .digest(let rule)? = rule?.innermost, case .sidecar = rule.expected { return nil }
      return .always
    case .withinInterval(_, let period):
      return record.checkedAt.map { TimeSpan(from: $0, until: $0.advanced(by: period)) }
    case .assumedFresh, .leftToSeed, .keptModified, .notModified, .serverDigestMatches, .asLocked, .listGone,
      .listGoneEdited, .listGoneWaits, .listGoneMissing, .touched:
      return nil
    }
  }
}

extension Timestamp {
  /// The moment after `duration`, to the nanosecond; the last possible moment if it is later.
  fileprivate func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (length, isLonger) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    let (moment, isTooLate) = nanoseconds.addingReportingOverflow(length)
    return Timestamp(nanoseconds: isTooLong || isLonger || isTooLate ? .max : moment)
  }
}
