import Planning
import SyncModel

extension Target {
  /// The URL to ask first, if nothing but its reply is needed: every digest is known, and nothing is unpacked; else
  /// `nil`.
  var plainURL: String? {
    guard case .urls(let mirrors) = source, case .web(let url)? = mirrors.first,
      BodyDemands.areLiteral(for: self)
    else { return nil }
    return url
  }
}
