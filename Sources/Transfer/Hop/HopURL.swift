import CCurlShim
import SyncModel

/// The scope of a credential: all three must be equal.
struct Origin: Hashable, Sendable {
  /// `http` or `https`.
  var scheme: String
  /// Lower case; an IPv6 address with its brackets.
  var host: String
  var port: Int
}

/// The URL of one request of an exchange.
struct HopURL: Equatable, Sendable {
  /// As it is reported and recorded: the request's own text, or what a redirect led to, without what signs it.
  let text: String
  /// All of it, for libcurl: escaped, without a fragment.
  let wire: String
  /// Whether ``text`` leaves out a signature.
  let isSigned: Bool
  let origin: Origin
  /// Whether it is a ``PlainURL``; not about its place, so `==` ignores it.
  private var isPlain = false

  /// `nil` unless `text` is an absolute `http` or `https` URL that libcurl reads.
  init?(_ text: String) {
    if let plain = PlainURL(text) {
      let origin = Origin(scheme: plain.scheme, host: plain.host, port: plain.port)
      self.init(plain: text, origin: origin)
    } else {
      self.init(parsing: text)
    }
  }

  /// The same, faster if `last`, a plain one, has the same server and this one is plain, too.
  init?(_ text: String, after last: HopURL?) {
    if let last, last.isPlain, PlainURL.isPlain(text, onServerOf: last.text) {
      self.init(plain: text, origin: last.origin)
    } else {
      self.init(text)
    }
  }

  /// The same by libcurl's parser, whatever the URL looks like.
  init?(parsing text: String) {
    guard Self.scheme(of: text).map(Self.isWeb) == true, var url = CurlURL(), url.set(text) else {
      return nil
    }
    url.remove(CURLUPART_FRAGMENT)
    self.init(url, text: text)
  }

  static func == (a: HopURL, b: HopURL) -> Bool {
    a.text == b.text && a.wire == b.wire && a.origin == b.origin
  }

  /// A plain URL has no query, and so no signature.
  private init(plain text: String, origin: Origin) {
    self.text = text
    wire = text
    isSigned = false
    self.origin = origin
    isPlain = true
  }

  private init?(_ url: borrowing CurlURL, text: String?) {
    guard let wire = url.get(CURLUPART_URL), let scheme = url.get(CURLUPART_SCHEME)?.lowercased(),
      Self.isWeb(scheme), let host = url.get(CURLUPART_HOST)?.lowercased(), !host.isEmpty,
      let port = url.get(CURLUPART_PORT).flatMap({ Int($0) })
    else { return nil }
    let whole = text ?? wire
    self.text = SigningParameters.removed(from: whole)
    isSigned = self.text.utf8.count < whole.utf8.count
    self.wire = wire
    origin = Origin(scheme: scheme, host: host, port: port)
  }

  /// The target of a redirect from here; a name or password in it is removed.
  func following(_ location: String) -> Result<HopURL, RedirectFault> {
    if let scheme = Self.scheme(of: location), !Self.isWeb(scheme) { return .failure(.scheme) }
    guard !location.isEmpty, !location.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }),
      var url = CurlURL(), url.set(wire), url.set(location)
    else { return .failure(.location) }
    for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] {
      url.remove(part)
    }
    guard let next = HopURL(url, text: nil) else { return .failure(.location) }
    if origin.scheme == "https", next.origin.scheme != "https" { return .failure(.downgrade) }
    return .success(next)
  }

  private static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

  /// The text before the first colon, in lower case, if it can be a scheme (RFC 3986, section 3.1).
  ///
  /// libcurl would read `mailto:x` in a Location as a path.
  private static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon].lowercased()
    func isLetter(_ c: UInt8) -> Bool { (0x61...0x7a).contains(c) }
    guard scheme.utf8.first.map(isLetter) == true,
      scheme.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) })
    else { return nil }
    return scheme
  }
}
