package import SyncModel

/// A verdict "fresh" that rests on nothing but the source's word: where the same question is answered with 304
/// again, the next run will come to it again, with nothing to be recorded but the time.
package struct Revalidation: Sendable, Equatable {
  /// The signature of the output, on which ownership rests.
  package var signature: FileSignature
  /// The first mirror; it holds no secret, since it equals a recorded URL, and those are masked.
  package var url: String
  /// The recorded validators, which came from ``url``.
  package var conditions: Validators

  /// Time limits below it are kept to the moment only by who looks at each request's own.
  private static let shortestTimeout = Duration.seconds(2)

  /// `nil` where the next run would have more to do than to ask that one question.
  ///
  /// - `asking`: the decision that the source had to be asked for.
  /// - `confirmed`: what it said with its 304, which was the answer to the first and only request.
  package init?(asking: Decision, _ question: FreshnessQuestion, confirmed: Validators) {
    let target = question.target
    guard case .undecided(.source(let conditions)) = asking.verdict, let record = asking.record,
      !asking.recordNeedsRenewal, question.facts.outputDigests == nil, question.pin == nil,
      question.dependencies.isEmpty, record.output == target.output, record.name == target.name,
      question.output == .file(record.signature), record.validators == conditions,
      target.freshness?.holdsByValidators == true, Self.isPlain(target),
      case .urls(let mirrors) = target.source, case .web(let url)? = mirrors.first,
      url.hasSameBytes(as: conditions.url),
      confirmed.url.hasSameBytes(as: url), ConfirmationRule.repeats(confirmed, conditions)
    else { return nil }
    signature = record.signature
    self.url = url
    self.conditions = conditions
  }

  /// Whether its requests hold nothing but a URL and conditions, in any order with those of other targets.
  private static func isPlain(_ target: Target) -> Bool {
    let timeouts = target.timeouts
    return target.headers.isEmpty && target.authentication == nil && target.after.isEmpty
      && timeouts.connect >= shortestTimeout && timeouts.stall >= shortestTimeout
      && timeouts.total.map { $0 >= shortestTimeout } ?? true
  }
}
