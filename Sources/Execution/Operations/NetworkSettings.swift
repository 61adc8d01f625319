/// The network settings from the environment; only the command line reads the environment.
package struct NetworkSettings: Sendable {
  /// `syncmake/VERSION`.
  package var userAgent = "syncmake"
  /// For `http` URLs; `nil` if the variable is unset or empty.
  package var httpProxy: String?
  /// The same for `https` URLs.
  package var httpsProxy: String?
  /// For both, if the scheme's own is `nil`.
  package var allProxy: String?
  /// Hosts without a proxy, comma-separated; `nil` if there are none.
  package var noProxy: String?
  /// A file of certificates to trust; `nil` is the system's own.
  package var caBundle: String?
  /// A folder of certificates to trust; `nil` is the system's own.
  package var caDirectory: String?
  /// The user's netrc file; `nil` without a home folder.
  package var netrcPath: String?

  /// No proxies, the system's certificates, and no netrc file.
  package init() {}
}
