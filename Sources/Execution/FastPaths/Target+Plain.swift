import Planning
import SyncModel

extension Target {
  /// The first URL, if only its reply is needed: every digest is known, and nothing is decompressed; else `nil`.
  var plainURL: String? {
    // An entry of a list may be elsewhere than its list, whose headers and credentials it has.
    guard case .urls(let mirrors) = self.source, case .web(let url)? = mirrors.first,
      BodyDemands.areLiteral(for: self)
    else { return nil }
    return url
  }
}
