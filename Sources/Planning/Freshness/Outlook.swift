/// What the next run will find of a target by the rules, as long as nothing changes: a row of the compiled snapshot.
package enum Outlook: Sendable, Equatable {
  /// It is fresh without a request.
  case stands(Standing)
  /// It is fresh if its source confirms it.
  case asks(Revalidation)

  /// `nil` if the next run will have more to do than to look at the output and to ask one plain question.
  package init?(_ question: FreshnessQuestion) {
    let decision = FreshnessRules.verdict(question)
    if let standing = Standing(decision, question) {
      self = .stands(standing)
    } else if case .undecided(.source(let asked)) = decision.verdict,
      let revalidation = Revalidation(asking: decision, question, confirmed: asked)
    {
      self = .asks(revalidation)
    } else {
      return nil
    }
  }
}
