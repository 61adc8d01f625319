import SyncModel

extension NetworkSettings {
  /// The settings that environment variables give; `variable` is `nil` for one that is not set.
  ///
  /// Proxies are as curl reads them (its page ENVIRONMENT): `http_proxy` in lower case only, since a CGI program's
  /// `HTTP_PROXY` is a request's header.
  package init(userAgent: String, variable: (String) -> String?) {
    func text(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    self.init()
    self.userAgent = userAgent
    httpProxy = text("http_proxy")
    httpsProxy = text("https_proxy") ?? text("HTTPS_PROXY")
    allProxy = text("all_proxy") ?? text("ALL_PROXY")
    noProxy = text("no_proxy") ?? text("NO_PROXY")
    caBundle = text("CURL_CA_BUNDLE") ?? text("SSL_CERT_FILE")
    // curl's own variable says all: a folder beside it would be trusted, too.
    caDirectory = text("CURL_CA_BUNDLE") == nil ? text("SSL_CERT_DIR") : nil
    netrcPath = text("NETRC") ?? HomePath.home(variable).map { $0 + "/.netrc" }
  }

  /// The passwords in the proxies' URLs, encoded and decoded: libcurl's messages may contain them. With the user's name as
  /// they are sent, too: a proxy may repeat that.
  package var proxyPasswords: [String] {
    [httpProxy, httpsProxy, allProxy].compactMap { $0 }.flatMap { proxy in
      guard let at = proxy.utf8.lastIndex(of: UInt8(ascii: "@")),
        // The scheme precedes the slashes; a password may contain colons, a user's name cannot.
        let userinfo = String(proxy.utf8[(proxy.firstPlace(of: "://")?.upperBound ?? proxy.startIndex)..<at])
      else { return [String]() }
      guard let colon = userinfo.utf8.firstIndex(of: UInt8(ascii: ":")),
        let password = String(userinfo.utf8[userinfo.utf8.index(after: colon)...])
      else {
        // The user's name may be a token. It is sent with an empty password.
        let user = WebURL.percentDecoded(userinfo).flatMap { $0.isEmpty ? nil : $0 }
        return user.map { [Base64.encode(Array("\($0):".utf8))] } ?? []
      }
      let pair = WebURL.percentDecoded(userinfo).map { Base64.encode(Array($0.utf8)) }
      return [password, WebURL.percentDecoded(password), pair].compactMap { $0 }
    }
  }
}
