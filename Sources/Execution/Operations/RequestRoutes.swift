package import SyncModel

/// What the user's configuration says about requests.
package struct RequestRoutes: Sendable {
  /// Where requests go instead of to the manifest's URLs.
  package var rewrites: [RewriteRule] = []
  /// The programs that give credentials; `nil` if there are none.
  package var helpers: CredentialHelpers?

  /// Requests go to the manifest's URLs, with the manifest's credentials.
  package init() {}

  /// Whether a request for `url` is what it would be without a configuration.
  func leaves(_ url: String) -> Bool {
    (rewrites.isEmpty && helpers == nil)
      || rewrites.applied(to: url) == nil && helpers?.rule(for: url) == nil
  }
}
