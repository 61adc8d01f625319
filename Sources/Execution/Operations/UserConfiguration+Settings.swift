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
  package func cacheSettings(_ named: String?) -> CacheSettings? {
    guard let path = named ?? cache?.value, path != "off" else { return nil }
    var settings = CacheSettings(path: path)
    if let size = cacheSize?.value { settings.maxSize = size }
    if let link = cacheLink?.value { settings.link = link }
    return settings
  }

  /// The cache on a server; `named` comes before what the configuration names. `nil` for none.
  package func remoteCacheSettings(_ named: String?, _ health: RemoteCacheHealth) -> RemoteCacheSettings? {
    (remoteCache?.value ?? RemoteCacheRule()).named(named).flatMap { RemoteCacheSettings($0, health) }
  }

  /// Targets in progress at once; `named` comes before what the configuration says.
  package func jobs(_ named: Int?) -> Int { named ?? jobs?.value ?? RunSettings.usualJobs }
}
