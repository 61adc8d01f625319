/// The query parameters that sign a URL (contract, section 3, "Details").
///
/// A redirect to a store gives each client a URL with a new signature, so these parameters say nothing about the
/// file. They are removed wherever URLs are compared, recorded or printed; only a request has the complete URL.
package enum SigningParameters {
  /// Whole names, in lower case.
  private static let names: Set<String> = [
    "expires", "signature", "policy", "key-pair-id", "awsaccesskeyid", "googleaccessid", "sig", "se", "sp",
    "sr", "st",
    "sv", "spr", "ske", "skoid", "sks", "skt", "sktid", "skv", "jwt", "token", "hmac", "rscd", "rsct",
  ]
  /// Beginnings of names, in lower case.
  private static let prefixes = ["x-amz-", "x-goog-", "x-xet-", "response-content-"]

  /// Whether a parameter with this name, as the query spells it, is part of a signature.
  package static func contains(_ name: some StringProtocol) -> Bool {
    let written = String(name)
    let name = (WebURL.percentDecoded(written) ?? written).lowercased()
    return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
  }

  /// Whether `url` has one of these parameters with a value other than `***`, with which ``SignatureMask`` hides it.
  package static func show(in url: String) -> Bool {
    guard url.holds(UInt8(ascii: "?")), let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return false
    }
    let query = url.utf8[url.utf8.index(after: mark)...].prefix { $0 != UInt8(ascii: "#") }
    return query.split(separator: UInt8(ascii: "&")).contains { parameter in
      let name = parameter.prefix { $0 != UInt8(ascii: "=") }
      let value = parameter[name.endIndex...].dropFirst()
      return !value.isEmpty && !value.elementsEqual("***".utf8) && contains(Substring(name))
    }
  }

  /// A URL, or a reference in a `Location`, without these parameters; the same text if it has none.
  package static func removed(from reference: String) -> String {
    let bytes = reference.utf8
    guard reference.holds(UInt8(ascii: "?")), let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
      return reference
    }
    let end = bytes[mark...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    if let fragment = bytes.firstIndex(of: UInt8(ascii: "#")), fragment < mark { return reference }
    let query = bytes[bytes.index(after: mark)..<end]
    let parameters = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let kept = parameters.filter { !contains(Substring($0.prefix { $0 != UInt8(ascii: "=") })) }
    guard kept.count < parameters.count else { return reference }
    let rest = kept.map { String(Substring($0)) }.joined(separator: "&")
    return String(Substring(bytes[..<mark])) + (kept.isEmpty ? "" : "?" + rest)
      + String(Substring(bytes[end...]))
  }
}

/// The identity of the file at a URL: the URL without the parameters that sign it.
package enum ResourceURL {
  /// The resource of an `http` or `https` URL; any other text, such as a file's path, is its own resource.
  package static func text(of url: String) -> String {
    // Most URLs have no query, and each record and reply of a run is asked.
    guard url.holds(UInt8(ascii: "?")), isWeb(url) else { return url }
    return SigningParameters.removed(from: url)
  }

  private static func isWeb(_ url: String) -> Bool {
    var rest = url.utf8[...]
    for letter in "http".utf8 {
      guard let byte = rest.popFirst(), byte | 0x20 == letter else { return false }
    }
    if let byte = rest.first, byte | 0x20 == UInt8(ascii: "s") { rest = rest.dropFirst() }
    return rest.starts(with: "://".utf8)
  }
}
