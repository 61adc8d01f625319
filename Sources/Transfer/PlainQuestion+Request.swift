package import SyncModel

extension PlainQuestion {
  /// The request of a ``TransferLoop`` for a GET of `url` with `conditions`; `nil` if it is not that simple, or if
  /// the host has a rate limit, which only the loop keeps.
  package init?(url text: String, conditions: Validators, hosts: HostLimits) {
    guard let url = HopURL(text), url.wire == text,
      let request = try? HopRequest(
        ExchangeRequest(url: text, conditions: conditions), at: url, first: url, secrets: SecretMask()),
      hosts.rate(for: url.origin.host) == nil, request.isPlain, (1...2).contains(request.conditions.count),
      request.conditions.allSatisfy(HeaderText.isPlain)
    else { return nil }
    self.init(
      url: text, conditions: request.conditions,
      host: PlainQuestions.Host(name: url.origin.host, connections: hosts.limit(for: url.origin.host)))
  }
}
