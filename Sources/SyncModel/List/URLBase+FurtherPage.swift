extension URLBase {
  /// The URL of a further page of a list, to which the page here refers as `reference`.
  ///
  /// It is sent, printed and stored, so that it must not have a user's name or a password.
  ///
  /// - Parameter base: of the element with the reference, if that has its own.
  package func furtherPage(_ reference: String, base: URLBase? = nil) throws(ListFault) -> String {
    guard let url = (base ?? self).resolve(reference), mayLead(to: url) else {
      throw ListFault(WebURL.userinfo(in: reference) == nil ? .badPage(reference) : .pageHasCredentials)
    }
    guard WebURL(url)?.hasCredentials == false else { throw ListFault(.pageHasCredentials) }
    return url
  }

  /// Whether a page here may name the absolute `url`: never one by http in a list by https.
  package func mayLead(to url: String) -> Bool {
    scheme != "https" || url.utf8.starts(with: "https:".utf8) || WebURL.scheme(of: url) == "https"
  }
}
