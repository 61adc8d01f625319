package import SyncModel

/// The settings of a ``TransferLoop``: the module reads neither the environment nor its own settings.
package struct TransferSettings: Sendable {
  /// Such as `syncmake/1.0`.
  package var userAgent: String
  /// How many connections and requests each host may get.
  package var hosts: HostLimits
  /// To compare a hop's URL with recorded ones, which are masked.
  package var secrets: SecretMask
  /// How many exchanges may be under way at once, whatever their hosts; 1 or more.
  package var totalConnections = 64
  /// Every timeout is multiplied by it; tests use less than 1.
  package var timeScale = 1.0
  /// `nil` if there is none: then requests that would use it have no credentials.
  package var netrcPath: String?
  /// A PEM file of trusted certificates; `nil` is libcurl's own choice.
  package var caBundle: String?
  /// A folder of trusted certificates; `nil` is libcurl's own choice.
  package var caDirectory: String?
  /// None, unless they are set.
  package var proxies = ProxySettings()
  /// What an untrusted manifest may do; `nil` for one that is trusted.
  package var policy: NetworkPolicy?
  /// Whether clients get each request's times, ``ExchangeClient/exchange(_:traced:)``.
  package var tracesRequests = false
  /// How many connections another loop of the run has numbered in these times.
  package var connectionsBefore = 0

  /// `userAgent` is sent as it is; all other settings have their defaults.
  package init(userAgent: String, hosts: HostLimits = HostLimits(), secrets: SecretMask = SecretMask()) {
    self.userAgent = userAgent
    self.hosts = hosts
    self.secrets = secrets
  }
}

extension TransferSettings {
  /// The addresses that connections may be made to for URLs of this scheme.
  ///
  /// A proxy is the operator's choice, and it alone sees the server's address.
  func addresses(forScheme scheme: String) -> AddressRule {
    guard let policy else { return .ordinary }
    return proxies.proxy(forScheme: scheme) == nil ? policy.policy.addresses : .ordinary
  }

  /// Why a proxy must not be asked for `url`, since it would connect to an address that nobody may ask; `nil` without a
  /// proxy, where the address is judged when the connection is made.
  func proxyRefusal(of url: HopURL) -> FailureCause? {
    guard proxies.proxy(forScheme: url.origin.scheme) != nil else { return nil }
    if let refused = AddressRule.ordinary.refusedAddress(of: url.origin.host) {
      return .addressRefused(url: url.text, refused.address, refused.what)
    }
    return AddressRule.ordinary.spellingFault(of: url.origin.host).map {
      .hostRefused(url: url.text, from: nil, $0)
    }
  }
}

/// The proxies; libcurl never looks for others.
package struct ProxySettings: Sendable, Equatable {
  /// For `http` URLs.
  package var http: String?
  /// For `https` URLs.
  package var https: String?
  /// For both, if the scheme's own is `nil`.
  package var all: String?
  /// Hosts to reach without a proxy, comma-separated, in the form that curl documents for `no_proxy`.
  package var exceptions: String?

  /// Each proxy is a URL as libcurl takes it; `nil` is no proxy.
  package init(http: String? = nil, https: String? = nil, all: String? = nil, exceptions: String? = nil) {
    self.http = http
    self.https = https
    self.all = all
    self.exceptions = exceptions
  }

  /// The address of the proxy for a URL of this scheme as it may be shown: without a user and a password.
  func shownProxy(forScheme scheme: String) -> String? {
    guard let proxy = proxy(forScheme: scheme), !proxy.isEmpty else { return nil }
    let bytes = Array(proxy.utf8)
    let begin =
      proxy.firstPlace(of: "://").map { proxy.utf8.distance(from: proxy.startIndex, to: $0.upperBound) } ?? 0
    guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), at >= begin else { return proxy }
    return String(decoding: bytes[..<begin] + bytes[(at + 1)...], as: UTF8.self)
  }

  /// The proxy for a URL of this scheme, without the exceptions; `nil` for none.
  func proxy(forScheme scheme: String) -> String? { (scheme == "https" ? https : http) ?? all }
}
