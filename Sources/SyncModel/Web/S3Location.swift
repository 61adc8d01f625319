/// A place in a store that speaks S3: `s3://BUCKET/PREFIX?region=REGION&endpoint=URL` (contract, section 12).
package struct S3Location: Sendable, Equatable {
  /// The bucket's name, by the rules of S3.
  package let bucket: String
  /// What the names of all objects begin with, as a path that is signed and sent as it is; empty, or without slashes at
  /// its ends.
  package let prefix: String
  /// `nil` if the address names none.
  package let region: String?
  /// The server, without a slash at its end; `nil` if the address names none.
  package let endpoint: String?

  /// Whether `text` is meant as such an address, right or wrong.
  package static func isMeant(by text: String) -> Bool { WebURL.scheme(of: text) == "s3" }

  /// Reads `text`, which has to begin with `s3://`.
  package init(_ text: String) throws(S3LocationFault) {
    let bytes = text.utf8
    // Before anything else is said of the address.
    if let user = Self.user(of: bytes) { throw .credentials(in: user) }
    guard Self.isMeant(by: text), bytes.dropFirst(3).starts(with: "//".utf8) else { throw .form }
    guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "#") }) else { throw .form }
    let place = bytes.dropFirst(5).prefix { $0 != UInt8(ascii: "?") }
    let bucket = place.prefix { $0 != UInt8(ascii: "/") }
    self.bucket = String(Substring(bucket))
    guard Self.isBucket(self.bucket) else { throw .bucket(self.bucket) }
    prefix = try Self.prefix(String(Substring(place[bucket.endIndex...])))
    let query = try Self.query(bytes[place.endIndex...].dropFirst())
    (region, endpoint) = (query.region, query.endpoint)
  }

  /// A user, or a user and a password, before the bucket; `nil` if there is none.
  private static func user(of address: String.UTF8View) -> Substring.UTF8View? {
    let rest = address.dropFirst(3).drop { $0 == UInt8(ascii: "/") }
    let bucket = rest.prefix { ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    // A password may have any character; a prefix may have an @, and no bucket has a colon.
    let mayBeUser = bucket.contains(UInt8(ascii: ":")) ? rest : bucket
    return mayBeUser.lastIndex(of: UInt8(ascii: "@")).map { mayBeUser[..<$0] }
  }

  // MARK: Addresses

  /// What the names of objects are appended to, after a slash, for requests to `endpoint`, or to Amazon's server of
  /// `region`.
  package func base(region: String, endpoint: String?) -> String {
    let folder = prefix.isEmpty ? "" : "/" + prefix
    if let endpoint { return endpoint + "/" + bucket + folder }
    let domain = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    // A certificate for *.s3.… covers no name with further dots.
    if bucket.utf8.contains(UInt8(ascii: ".")) { return "https://\(domain)/\(bucket)\(folder)" }
    return "https://\(bucket).\(domain)\(folder)"
  }

  /// `text` as a server; `nil` unless it is a web address without credentials, query and fragment.
  package static func endpoint(_ text: String) -> String? {
    guard let url = RewriteRule.base(text), text.utf8.count <= URLBase.longest else { return nil }
    // Its path is signed, and so it must be what a server makes of it.
    guard let path = plainPath(url.path) else { return nil }
    return url.origin.scheme + "://" + WebURL.server(of: text) + (path.isEmpty ? "" : "/" + path)
  }

  /// Whether `text` can be a region's name.
  package static func isRegion(_ text: String) -> Bool {
    // libcurl takes no longer one.
    (1...63).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        isLower($0) || isDigit($0) || "-_".utf8.contains($0) || (0x41...0x5A).contains($0)
      }
  }

  /// The rules of Amazon, to which all stores keep.
  private static func isBucket(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard (3...63).contains(bytes.count),
      bytes.allSatisfy({ isLower($0) || isDigit($0) || ".-".utf8.contains($0) })
    else { return false }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard isEdge(bytes[0]), isEdge(bytes[bytes.count - 1]), parts.allSatisfy({ !$0.isEmpty }) else {
      return false
    }
    // An address is none.
    return !(parts.count == 4 && parts.allSatisfy { $0.allSatisfy(isDigit) })
  }

  private static func isEdge(_ byte: UInt8) -> Bool { isLower(byte) || isDigit(byte) }
  private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  // MARK: Parts

  private static let longestPrefix = 900

  /// S3 signs a name with an escape for every byte that is not unreserved. What is sent is written so, too: what libcurl
  /// signs is what the server compares.
  private static func prefix(_ path: String) throws(S3LocationFault) -> String {
    guard let prefix = plainPath(path), prefix.utf8.count <= longestPrefix else { throw .prefix }
    return prefix
  }

  /// `path` in that form, without slashes at its ends; `nil` if no object can have such a name, or no URL can have it.
  private static func plainPath(_ path: String) -> String? {
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
    while parts.first?.isEmpty == true { parts.removeFirst() }
    while parts.last?.isEmpty == true { parts.removeLast() }
    var plain: [String] = []
    for part in parts {
      guard let name = WebURL.percentDecoded(String(Substring(part))), !name.isEmpty,
        !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") }),
        let written = URLBase.path(naming: name)
      else { return nil }
      plain.append(written)
    }
    return plain.joined(separator: "/")
  }

  private static func query(
    _ query: Substring.UTF8View
  ) throws(S3LocationFault) -> (region: String?, endpoint: String?) {
    var (region, endpoint): (String?, String?)
    guard !query.isEmpty else { return (nil, nil) }
    for pair in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let name = String(Substring(pair.prefix { $0 != UInt8(ascii: "=") }))
      let written = String(Substring(pair.dropFirst(name.utf8.count + 1)))
      switch name {
      case "region":
        guard region == nil else { throw .twice(name) }
        guard let value = WebURL.percentDecoded(written), isRegion(value) else { throw .region }
        region = value
      case "endpoint":
        guard endpoint == nil else { throw .twice(name) }
        guard let value = WebURL.percentDecoded(written) else { throw .endpoint }
        endpoint = try server(value)
      case _ where name.utf8.count == pair.count: throw .unknownKey("", value: name)
      default: throw .unknownKey(name, value: written)
      }
    }
    return (region, endpoint)
  }

  private static func server(_ text: String) throws(S3LocationFault) -> String {
    if let endpoint = Self.endpoint(text) { return endpoint }
    guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { throw .endpoint }
    throw .credentials(in: text.utf8[..<at].drop { $0 != UInt8(ascii: "/") }.dropFirst(2))
  }
}

/// What is wrong with an address of a place in S3.
package enum S3LocationFault: Error, Sendable, Equatable {
  /// Not `s3://BUCKET/PREFIX`, or with a blank, a `#` or a bad escape.
  case form
  /// It has a key or a password, which must not be shown.
  case credentials(secret: String)
  /// No bucket can have this name.
  case bucket(String)
  /// No object's name can begin so.
  case prefix
  /// No region can have this name.
  case region
  /// The server is not a web address.
  case endpoint
  /// A part after the `?` that means nothing; the value may be a secret, and the key is empty if there is no `=`.
  case unknownKey(String, value: String)
  /// This part is there twice.
  case twice(String)

  /// That of an address with a user and a password, or with one of them.
  fileprivate static func credentials(in user: Substring.UTF8View) -> Self {
    let password = user.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    return .credentials(secret: String(Substring(password.isEmpty ? user : password)))
  }

  /// What must not be shown of the address.
  package var secret: String? {
    switch self {
    case .credentials(let secret), .unknownKey(_, let secret): secret.isEmpty ? nil : secret
    default: nil
    }
  }

  /// What is wrong, as the end of a sentence about the address.
  package var text: String {
    switch self {
    case .form: "must be s3://BUCKET/PREFIX, without blanks and #"
    case .credentials: "has a key or a password"
    case .bucket(let name): "has \"\(name)\" for a bucket, and not 3 to 63 of a-z, 0-9, hyphens and dots"
    case .prefix:
      "has a prefix with an empty part, a dot as a part, a control character or a bad escape, or a long one"
    case .region: "has no region such as eu-west-1 after region="
    case .endpoint: "has no server such as https://s3.example after endpoint="
    case .unknownKey("", _): "may have only region= and endpoint= after its ?"
    case .unknownKey(let name, _): "may have only region= and endpoint= after its ?, and not \"\(name)\""
    case .twice(let name): "has \"\(name)\" twice"
    }
  }

  /// The next step.
  package var hint: String {
    switch self {
    case .credentials:
      "credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from a profile of the AWS tools"
    default:
      "write s3://bucket/prefix?region=eu-west-1, and &endpoint=https://… for a server that is not Amazon's"
    }
  }
}
