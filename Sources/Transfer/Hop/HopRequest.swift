import SyncModel

/// The data of one hop besides its method and URL: decided here, passed to libcurl by ``EasyHandle``.
struct HopRequest: Equatable {
  /// `Name: value`, or `Name;` for an empty value, as libcurl wants them.
  var lines: [String] = []
  /// The lines that are conditions or ranges, for `--verbose`.
  var conditions: [String] = []
  var basic: (user: String, password: String)?
  var usesNetrc = false

  /// Whether nothing in it comes from the manifest, so that it has no secret.
  var isPlain: Bool {
    lines.count == Self.everyRequest.count + conditions.count && basic == nil && !usesNetrc
  }

  /// Only a hop with the same origin as the request's own URL (`first`) gets its headers and credentials (contract,
  /// section 5).
  ///
  /// Throws ``FailureCause/internalError(_:)`` if a header has an invalid character.
  init(_ request: ExchangeRequest, at url: HopURL, first: HopURL, secrets: SecretMask) throws(FailureCause) {
    lines = Self.everyRequest
    if request.isBare { return }
    if url.origin == first.origin { try addCredentials(of: request) }
    addConditions(of: request, resource: secrets.mask(url.text), first: secrets.mask(first.text))
    lines += conditions
  }

  /// The header lines of every request, besides `User-Agent`.
  static let everyRequest = ["Accept-Encoding: identity"]

  private mutating func addCredentials(of request: ExchangeRequest) throws(FailureCause) {
    var kept = Self.ours
    switch request.authentication {
    case .none: break
    case .bearer(let token):
      guard Self.isSendable(token.text) else { throw Self.unsendable("Authorization") }
      lines.append("Authorization: Bearer \(token)")
    case .basic(let user, let password): basic = (user.text, password.text)
    case .netrc: usesNetrc = true
    }
    if request.authentication != nil { kept.insert("authorization") }
    for header in request.headers where !kept.contains(header.name.lowercased()) {
      guard Self.isSendable(header.value), Self.isName(header.name) else {
        throw Self.unsendable(header.name)
      }
      lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
    }
  }

  private mutating func addConditions(
    of request: ExchangeRequest, resource: String, first: @autoclosure () -> String
  ) {
    func add(_ name: String, _ value: String?) {
      // A validator that cannot be sent unchanged is ignored.
      guard let value, !value.isEmpty, Self.isSendable(value) else { return }
      conditions.append("\(name): \(value)")
    }
    if let known = request.conditions,
      known.areSent(to: resource, first: request.asksRedirector ? first() : nil)
    {
      add("If-None-Match", known.etag?.text)
      add("If-Modified-Since", known.lastModified)
    }
    if let resume = request.resume, resume.offset > 0, resume.isSent(to: resource, first: first()),
      Self.isSendable(resume.validator.text)
    {
      add("Range", "bytes=\(resume.offset)-")
      if resume.isGuarded { add("If-Range", resume.validator.text) }
    }
  }

  /// Names that the manifest's headers cannot take over: replies to them would be misread.
  private static let ours: Set<String> = [
    "accept-encoding", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range",
    "range", "te", "transfer-encoding", "content-length", "expect", "upgrade", "http2-settings",
  ]

  private static func isSendable(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
  }

  /// A token of RFC 9110, section 5.6.2.
  private static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
          || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }

  private static func unsendable(_ name: String) -> FailureCause {
    .internalError("the request header \(name) holds a character that cannot be sent")
  }

  static func == (a: HopRequest, b: HopRequest) -> Bool {
    a.lines == b.lines && a.conditions == b.conditions && a.basic?.user == b.basic?.user
      && a.basic?.password == b.basic?.password && a.usesNetrc == b.usesNetrc
  }
}

extension ExchangeRequest {
  /// Whether it consists only of its URL.
  fileprivate var isBare: Bool {
    headers.isEmpty && authentication == nil && conditions == nil && resume == nil
  }
}
