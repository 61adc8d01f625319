package import SyncModel

/// Makes the questions that a ``TransferLoop`` would ask plainly, one after another.
package struct PlainQuestionMaker: Sendable {
  private let hosts: HostLimits
  /// Of the question that was made last: the next one mostly goes to the same server.
  private var lastURL: HopURL?

  /// Makes questions to hosts with these limits.
  package init(_ hosts: HostLimits) { self.hosts = hosts }

  /// What a loop would send for a GET of `url` under `conditions`; `nil` where it takes more than that, and where
  /// requests to the host may begin only so often, to which only the loop keeps.
  package mutating func question(url text: String, conditions: Validators) -> PlainQuestion? {
    guard let url = HopURL(text, after: lastURL), url.wire == text,
      let request = try? HopRequest(
        ExchangeRequest(url: text, conditions: conditions), at: url, first: url, secrets: SecretMask()),
      hosts.rate(for: url.origin.host) == nil, request.isPlain, (1...2).contains(request.conditions.count),
      request.conditions.allSatisfy(HeaderText.isPlain)
    else { return nil }
    lastURL = url
    return PlainQuestion(
      url: text, conditions: request.conditions,
      host: PlainQuestions.Host(name: url.origin.host, connections: hosts.limit(for: url.origin.host)))
  }
}
