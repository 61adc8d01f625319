package import SyncModel

/// A verdict "fresh" that needs nobody's word: it stands as long as what it was made of stays as it is.
package struct Standing: Sendable, Equatable {
  /// The signature of the output, on which ownership rests.
  package var signature: FileSignature
  /// When the rule says the same; only an interval's verdict ever ends.
  package var period: TimeSpan

  /// `nil` where the target is not fresh, where the source or a sidecar had to be asked, where the output had
  /// to be read, and where there is something to be recorded: whatever the next run would have to do again.
  package init?(_ decision: Decision, _ question: FreshnessQuestion) {
    guard case .fresh(let reason) = decision.verdict, let record = decision.record,
      !decision.recordNeedsRenewal, question.facts.outputDigests == nil, question.facts.sourceAnswer == nil,
      record.output == question.target.output, record.name == question.target.name,
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
    case .present, .inputsUnchanged: return .always
    case .digestMatches:
      if case .digest(let rule)? = rule?.innermost, case .sidecar = rule.expected { return nil }
      return .always
    case .withinInterval(_, let period):
      return TimeSpan(from: record.checkedAt, until: record.checkedAt.advanced(by: period))
    case .assumedFresh, .keptModified, .notModified, .serverDigestMatches, .asLocked: return nil
    }
  }
}

extension Timestamp {
  /// The moment `duration` later, to the nanosecond; the last one there is where that lies behind it.
  fileprivate func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (length, isLonger) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    let (moment, isTooLate) = nanoseconds.addingReportingOverflow(length)
    return Timestamp(nanoseconds: isTooLong || isLonger || isTooLate ? .max : moment)
  }
}
