package import SyncModel

/// A verdict "fresh" that depends only on the source's answer: if the same question gets a 304 again, the next run
/// has the same verdict, and only the time must be recorded.
package struct Revalidation: Sendable, Equatable {
  /// The signature of the output, on which ownership rests.
  package var signature: FileSignature
  /// The first mirror; it has no secret, since it equals a recorded URL, and those are masked.
  package var url: String
  /// The recorded validators, which came from ``url``.
  package var conditions: Validators

  /// Only the full path keeps shorter time limits exactly.
  private static let shortestTimeout = Duration.seconds(2)

  /// `nil` if the next run would need more than that one question.
  ///
  /// - `asking`: the decision that needed the question.
  /// - `confirmed`: the validators of the 304, which answered the first and only request.
  package init?(asking: Decision, _ question: FreshnessQuestion, confirmed: Validators) {
    let target = question.target
    guard case .undecided(.source(let conditions)) = asking.verdict, let record = asking.record,
      !asking.recordNeedsRenewal, question.facts.outputDigests == nil, question.pin == nil,
      question.dependencies.isEmpty, record.output == target.path, record.name == target.name,
      question.output == .file(record.signature), record.validators == conditions,
      target.freshness?.holdsByValidators == true, Self.isPlain(target),
      question.renewedDefinition(of: record, by: .notModified(conditions)) == nil,
      case .web(let url)? = target.source.mirrors?.first,
      conditions.areOf(url), confirmed.areOf(url), ConfirmationRule.repeats(confirmed, conditions)
    else { return nil }
    signature = record.signature
    self.url = url
    self.conditions = conditions
  }

  /// Whether its requests consist only of a URL and conditions, in any order with those of other targets.
  private static func isPlain(_ target: Target) -> Bool {
    let timeouts = target.timeouts
    return target.headers.isEmpty && target.authentication == nil && target.after.isEmpty
      && timeouts.connect >= shortestTimeout && timeouts.stall >= shortestTimeout
      && timeouts.total.map { $0 >= shortestTimeout } ?? true
  }
}
