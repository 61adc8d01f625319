package import SyncModel

/// What the user's configuration means for the settings of a run.
extension UserConfiguration {
  /// How requests go.
  ///
  /// - Parameters:
  ///   - environment: that of credential helpers, as `NAME=VALUE`.
  ///   - searchPath: the folders that helpers are looked for in, as `PATH` has them.
  package func routes(environment: @autoclosure () -> [String], searchPath: String) -> RequestRoutes {
    var routes = RequestRoutes()
    routes.rewrites = rewrites.map(\.value)
    if !credentials.isEmpty {
      routes.helpers = CredentialHelpers(
        credentials.map(\.value), environment: environment(),
        searchPath: searchPath.split(separator: ":").map(String.init))
    }
    return routes
  }

  /// The cache on this machine; `named` comes before what the configuration names. `nil` for none.
  package func cacheSettings(_ named: String?, _ trouble: FirstTrouble) -> CacheSettings? {
    guard let path = named ?? cache?.value, path != "off" else { return nil }
    var settings = CacheSettings(path: path, trouble)
    if let size = cacheSize?.value { settings.maxSize = size }
    if let link = cacheLink?.value { settings.link = link }
    // A signature is as good in a folder as on the server.
    if let rule = remoteCache?.value, rule.trust == .signed { settings.keys = rule.keys }
    return settings
  }

  /// The cache on a server; `named` comes before what the configuration names. `nil` for none.
  package func remoteCacheSettings(
    _ named: String?, _ health: RemoteCacheHealth, keys: StoreKeys?
  ) -> RemoteCacheSettings? {
    rule(named).flatMap { RemoteCacheSettings($0, health, keys: keys) }
  }

  /// The credentials for the cache on a server, if it is one on S3; `variable` and `environment` as in ``StoreKeys``.
  package func storeKeys(
    _ named: String?, variable: @escaping @Sendable (String) -> String?,
    environment: @escaping @Sendable () -> [String]
  ) -> StoreKeys? {
    rule(named)?.url.flatMap { try? S3Location($0) }.map {
      StoreKeys($0, variable: variable, environment: environment)
    }
  }

  private func rule(_ named: String?) -> RemoteCacheRule? {
    (remoteCache?.value ?? RemoteCacheRule()).named(named)
  }

  /// Targets in progress at once; `named` comes before what the configuration says.
  package func jobs(_ named: Int?) -> Int { named ?? jobs?.value ?? RunResources.usualJobs }
}
