import SyncModel

extension SecretWords {
  /// Headers that say nothing secret; the value of any other is taken for a secret.
  private static let plainHeaders: Set<String> = [
    "accept", "accept-language", "cache-control", "pragma", "user-agent", "dnt", "x-requested-with",
  ]

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
