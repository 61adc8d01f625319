/// A rule of `rewrite`: where requests go instead of the manifest's URLs (contract, section 12).
package struct RewriteRule: Sendable, Equatable {
  /// When the origin is asked after the mirror.
  package enum Otherwise: String, Sendable, CaseIterable {
    /// Whatever the mirror answers.
    case never
    /// After 404 and 410.
    case notFound = "not-found"
    /// After any failure.
    case error
  }

  /// As the configuration spells it.
  package let from: String
  /// As the configuration spells it.
  package let to: String
  /// What `else` says.
  package let otherwise: Otherwise
  private let origin: WebOrigin
  /// That of ``from``, without a slash at its end.
  private let path: String
  /// ``to`` without a slash at its end.
  private let replacement: String

  /// `nil` unless both are web addresses without credentials, query and fragment.
  package init?(from: String, to: String, otherwise: Otherwise = .never) {
    guard let start = Self.base(from), Self.base(to) != nil else { return nil }
    self.from = from
    self.to = to
    self.otherwise = otherwise
    origin = start.origin
    path = Self.withoutSlash(URLBase.normalPath(start.path))
    replacement = Self.withoutSlash(to)
  }

  /// The parts of an address that can begin others; `nil` for any other text.
  package static func base(_ text: String) -> WebURL? {
    guard let url = WebURL(text), !url.hasCredentials,
      !text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
    else { return nil }
    return url
  }

  private static func withoutSlash(_ text: String) -> String {
    text.utf8.last == UInt8(ascii: "/") ? String(Substring(text.utf8.dropLast())) : text
  }

  /// Where a request for `url` goes, whose parts are `parts`; `nil` if ``from`` is not a prefix of it up to a slash.
  ///
  /// The path is compared as servers understand it: dots in it lead neither past the rule nor out of the mirror's folder.
  fileprivate func applied(to url: String, _ parts: WebURL) -> RewrittenURL? {
    guard parts.origin == origin else { return nil }
    let whole = URLBase.normalPath(parts.path)
    guard whole.utf8.starts(with: path.utf8) else { return nil }
    let rest = whole.utf8.dropFirst(path.utf8.count)
    guard rest.first == UInt8(ascii: "/") || rest.isEmpty && from.utf8.last != UInt8(ascii: "/") else {
      return nil
    }
    let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.prefix { $0 != UInt8(ascii: "#") }
    return RewrittenURL(
      url: replacement + String(Substring(rest)) + String(Substring(query)), otherwise: otherwise)
  }
}

extension [RewriteRule] {
  /// Where a request for `url` goes by the first rule that applies; `nil` if it goes to `url` itself.
  package func applied(to url: String) -> RewrittenURL? {
    guard !isEmpty, let parts = WebURL(url) else { return nil }
    for rule in self {
      if let rewritten = rule.applied(to: url, parts) { return rewritten }
    }
    return nil
  }
}

/// The address of a mirror that is asked instead of the manifest's.
package struct RewrittenURL: Sendable, Equatable {
  /// Absolute, for requests.
  package let url: String
  fileprivate let otherwise: RewriteRule.Otherwise

  /// Whether the origin is asked after the mirror failed so.
  package func asksOrigin(after cause: FailureCause) -> Bool {
    switch otherwise {
    case .never: false
    case .notFound: cause.traits.contains(.absent)
    case .error: cause != .offline && !cause.traits.contains(.local)
    }
  }
}

/// What a resource of a mirror is called in the state: the manifest's URL, and a sum of the mirror's.
///
/// So the state has no mirror in it, and what one place has sent is never taken for what another has: validators
/// and partial downloads count for the place that sent them.
extension ResourceURL {
  /// `resource` is the mirror's, `origin` the manifest's; secrets masked in both.
  package static func ofMirror(_ resource: String, origin: String) -> String {
    // FNV-1a: it is compared with sums of the same user's mirrors only.
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in resource.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(sum, radix: 16)
    return origin + "#" + String(repeating: "0", count: sumLength - digits.utf8.count) + digits
  }

  /// Whether a mirror has sent it; the URL of no other resource has a fragment.
  package static func isOfMirror(_ resource: String) -> Bool {
    let end = resource.utf8.suffix(sumLength + 1)
    return end.count > sumLength && end.first == UInt8(ascii: "#")
      && end.dropFirst().allSatisfy { $0.hexValue != nil } && WebURL(resource) != nil
  }

  /// As people are shown it.
  package static func shown(_ resource: String) -> String {
    isOfMirror(resource)
      ? String(Substring(resource.utf8.dropLast(sumLength + 1))) + " (by a mirror)" : resource
  }

  private static let sumLength = 16
}
