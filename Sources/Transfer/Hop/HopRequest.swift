import SyncModel

/// The data of one hop besides its method and URL: decided here, passed to libcurl by ``EasyHandle``.
struct HopRequest: Equatable {
  /// What the manifest adds: `Name: value`, or `Name;` for an empty value, as libcurl wants them.
  private var added: [String] = []
  /// The lines that are conditions or ranges, for `--verbose`.
  private(set) var conditions: [String] = []
  var basic: (user: String, password: String)?
  var usesNetrc = false
  private(set) var signing: RequestSigning?

  /// Whether nothing in it comes from the manifest, so that it has no secret.
  var isPlain: Bool { added.isEmpty && basic == nil && !usesNetrc && signing == nil }

  /// All that is sent beside `User-Agent`, and beside what libcurl adds to a request that it signs: it signs every line
  /// that it is given, and some proxies change `Accept-Encoding`.
  var lines: [String] { (signing == nil ? Self.everyRequest : []) + added + conditions }

  /// Only a hop with the same origin as the request's own URL (`first`) gets its headers and credentials (contract,
  /// section 5).
  ///
  /// Throws ``FailureCause/internalError(_:)`` if a header has an invalid character.
  init(_ request: ExchangeRequest, at url: HopURL, first: HopURL, secrets: SecretMask) throws(FailureCause) {
    if request.method == .put { added = ["Content-Type: application/octet-stream"] }
    if let signing = request.signing {
      try sign(signing)
      return
    }
    // It waits for no permission, which many caches never give. libcurl (7.88) would sign this line, and not send it.
    if request.method == .put { added.append("Expect:") }
    if request.hasCredentials, url.origin == first.origin { try addCredentials(of: request) }
    let isSaid = request.headers.contains { $0.name.lowercased() == "cache-control" }
    if request.passesCaches, !isSaid || url.origin != first.origin {
      added.append("Cache-Control: no-cache")
    }
    guard request.hasConditions else { return }
    func resource(_ url: HopURL) -> String {
      let text = secrets.mask(url.text)
      return request.mirroredResource.map { ResourceURL.ofMirror(text, origin: $0) } ?? text
    }
    addConditions(of: request, resource: resource(url), first: resource(first))
  }

  /// The header lines of every request, besides `User-Agent`.
  static let everyRequest = ["Accept-Encoding: identity"]

  /// libcurl signs what is sent; without the digest of the body it would sign that of nothing.
  private mutating func sign(_ signing: RequestSigning) throws(FailureCause) {
    guard signing.key.isUsable else { throw .internalError("these credentials cannot be sent") }
    self.signing = signing
    added.append("x-amz-content-sha256: \(signing.sentSum)")
    if let token = signing.key.token { added.append("x-amz-security-token: \(token)") }
  }

  private mutating func addCredentials(of request: ExchangeRequest) throws(FailureCause) {
    var kept = RequestHeader.own
    switch request.authentication {
    case .none: break
    case .bearer(let token):
      guard Self.isSendable(token.text) else { throw Self.unsendable("Authorization") }
      added.append("Authorization: Bearer \(token)")
    case .basic(let user, let password): basic = (user.text, password.text)
    case .netrc: usesNetrc = true
    }
    if request.authentication != nil { kept.insert("authorization") }
    for header in request.headers where !kept.contains(header.name.lowercased()) {
      guard Self.isSendable(header.value), RequestHeader.isName(header.name) else {
        throw Self.unsendable(header.name)
      }
      added.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
    }
  }

  private mutating func addConditions(
    of request: ExchangeRequest, resource: String, first: @autoclosure () -> String
  ) {
    func add(_ name: StaticString, _ value: String?) {
      // A validator that cannot be sent as it is counts as none.
      guard let value, !value.isEmpty, Self.isSendable(value) else { return }
      if conditions.isEmpty { conditions.reserveCapacity(2) }
      conditions.append(Self.line(name, value))
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

  /// No control characters but tabs. Without a branch for each byte: every validator that is sent is looked at.
  private static func isSendable(_ value: String) -> Bool {
    func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7f }
    let found = unsafe value.utf8.withContiguousStorageIfAvailable { bytes in
      var found: UInt8 = 0
      for place in bytes.indices { found |= unsafe isControl(bytes[place]) ? 1 : 0 }
      return found != 0
    }
    return !(found ?? value.utf8.contains(where: isControl))
  }

  /// `name: value`, put together in one piece of memory.
  private static func line(_ name: StaticString, _ value: String) -> String {
    let start = name.utf8CodeUnitCount
    return unsafe String(unsafeUninitializedCapacity: start + 2 + value.utf8.count) { line in
      _ = unsafe line.update(fromContentsOf: UnsafeBufferPointer(start: name.utf8Start, count: start))
      unsafe line[start] = UInt8(ascii: ":")
      unsafe line[start + 1] = UInt8(ascii: " ")
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: line[(start + 2)...])
      return unsafe rest.update(fromContentsOf: value.utf8) + start + 2
    }
  }

  private static func unsendable(_ name: String) -> FailureCause {
    .internalError("the request header \(name) holds a character that cannot be sent")
  }

  static func == (a: HopRequest, b: HopRequest) -> Bool {
    a.added == b.added && a.conditions == b.conditions && a.basic?.user == b.basic?.user
      && a.basic?.password == b.basic?.password && a.usesNetrc == b.usesNetrc && a.signing == b.signing
  }
}

extension ExchangeRequest {
  fileprivate var hasCredentials: Bool { !headers.isEmpty || authentication != nil }
  fileprivate var hasConditions: Bool { conditions != nil || resume != nil }
}
