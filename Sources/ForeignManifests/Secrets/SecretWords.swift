import SyncModel

/// The names of headers and parameters whose values are secrets.
enum SecretWords {
  private static let parts = [
    "token", "secret", "passw", "signature", "credential", "apikey", "api-key", "api_key", "cookie",
    "authorization", "oauth", "bearer",
  ]
  private static let names: Set<String> = ["pass", "pwd", "sig", "jwt", "hmac", "auth", "sid", "session"]
  /// Headers that say nothing secret; the value of any other is taken for a secret.
  private static let plainHeaders: Set<String> = [
    "accept", "accept-language", "cache-control", "pragma", "user-agent", "dnt", "x-requested-with",
  ]

  /// Whether a line may hold a secret, by the words in it.
  static func mayHold(_ line: String) -> Bool {
    let line = line.lowercased()
    return parts.contains { line.holds($0) }
  }

  /// Whether the parameter of a query with this name is a secret.
  static func isSecret(parameter name: String) -> Bool {
    let name = (WebURL.percentDecoded(name) ?? name).lowercased()
    // Such as license_key and subscription-key.
    return names.contains(name) || name.hasSuffix("key") || mayHold(name)
  }

  private static func isPlainAddress(_ text: String) -> Bool {
    let mayHaveUser = AddressParts(text).map { $0.user != nil } ?? text.utf8.contains(UInt8(ascii: "@"))
    return !mayHaveUser && !text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
  }

  /// Whether the header has a value that may be copied: also a page or a site that sent the visitor here, without a query.
  static func isPlain(header name: String, _ value: String) -> Bool {
    let isReferer = ["referer", "origin"].contains(name.lowercased())
    return plainHeaders.contains(name.lowercased())
      || isReferer && isPlainAddress(value)
  }
}
