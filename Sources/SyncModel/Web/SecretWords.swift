/// The names of headers and parameters whose values are secrets.
package enum SecretWords {
  private static let parts = [
    "token", "secret", "passw", "signature", "credential", "apikey", "api-key", "api_key", "cookie",
    "authorization", "oauth", "bearer",
  ]
  private static let names: Set<String> = ["pass", "pwd", "sig", "jwt", "hmac", "auth", "sid", "session"]

  /// Whether a line may hold a secret, by the words in it.
  package static func mayHold(_ line: String) -> Bool {
    let line = line.lowercased()
    return parts.contains { line.holds($0) }
  }

  /// Headers that tell who asks.
  private static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "apikey", "x-apikey",
    "private-token", "x-auth-token", "x-auth-key", "x-token", "token", "x-access-token", "x-goog-api-key",
    "job-token", "deploy-token", "ocp-apim-subscription-key", "x-amz-security-token", "x-vault-token",
    "x-jfrog-art-api",
  ]

  /// Whether the header with this name surely has a secret.
  package static func isSecret(header name: String) -> Bool { headers.contains(name.lowercased()) }

  /// Whether the parameter of a query with this name is a secret.
  package static func isSecret(parameter name: String) -> Bool {
    let name = (WebURL.percentDecoded(name) ?? name).lowercased()
    // Such as license_key and subscription-key.
    return names.contains(name) || name.hasSuffix("key") || mayHold(name)
  }
}
