/// What the user's configuration file says (contract, section 12); each key that is not there has its default.
package struct UserConfiguration: Sendable, Equatable {
  /// A value and the line that it is on, from 1.
  package struct Placed<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The value of the key.
    package var value: Value
    /// Counted from 1.
    package var line: Int

    /// `line` counts from 1.
    package init(_ value: Value, line: Int) {
      self.value = value
      self.line = line
    }
  }

  /// Targets in progress at once; `nil` for the default.
  package var jobs: Placed<Int>?
  /// The folder of the cache on this machine, or `off`; `nil` if nothing is said of one.
  package var cache: Placed<String>?
  /// How many bytes it may have; `nil` for the default.
  package var cacheSize: Placed<Int64>?
  /// How its files become outputs; `nil` for the default.
  package var cacheLink: Placed<CacheLink>?
  /// The cache on a server; `nil` if nothing is said of one.
  package var remoteCache: Placed<RemoteCacheRule>?
  /// In the file's order; the first that applies counts.
  package var rewrites: [Placed<RewriteRule>] = []
  /// In the file's order; the first that covers a host counts.
  package var credentials: [Placed<CredentialRule>] = []
  /// Beside those of the manifest; the smaller limit counts.
  package var hosts = HostLimits()
  /// The hosts with limits, in the file's order.
  package var hostLines: [Placed<String>] = []

  /// Every key has its default.
  package init() {}

  /// Whether requests are what they would be without it.
  package var leavesRequests: Bool { rewrites.isEmpty && credentials.isEmpty && hostLines.isEmpty }
}
