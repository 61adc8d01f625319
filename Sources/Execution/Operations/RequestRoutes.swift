package import SyncModel

/// What the user's configuration says about requests.
package struct RequestRoutes: Sendable {
  /// Where requests go instead of to the manifest's URLs.
  package var rewrites: [RewriteRule] = []
  /// The programs that give credentials; `nil` if there are none.
  package var helpers: CredentialHelpers?
  /// The credentials for a cache on S3; `nil` without such a cache.
  package var storeKeys: StoreKeys?

  /// Requests go to the manifest's URLs, with the manifest's credentials.
  package init() {}

  /// Gives the secrets that become known during a run; `nil` if none can.
  var laterSecrets: (@Sendable () -> [String])? {
    guard helpers != nil || storeKeys != nil else { return nil }
    return { [helpers, storeKeys] in (helpers?.secrets ?? []) + (storeKeys?.secrets ?? []) }
  }

  /// Kills the programs that are at work, and returns when none is left.
  func stop() {
    helpers?.stop()
    storeKeys?.stop()
  }

  /// Whether a request for `url` is what it would be without a configuration.
  func leaves(_ url: String) -> Bool {
    (rewrites.isEmpty && helpers == nil)
      || rewrites.applied(to: url) == nil && helpers?.rule(for: url) == nil
  }
}
