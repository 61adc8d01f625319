import CCurlShim
import SyncModel

/// The URL of one request of an exchange.
struct HopURL: Equatable, Sendable {
  /// As it is reported and recorded: the request's own text, or what a redirect led to, without what signs it.
  let text: String
  /// All of it, for libcurl: escaped, without a fragment.
  let wire: String
  /// Whether ``text`` leaves out a signature.
  let isSigned: Bool
  let origin: WebOrigin
  /// Whether it is plain (``WebURL/plainOrigin(of:)``); not about its place, so `==` ignores it.
  private var isPlain = false

  /// `nil` unless `text` is an absolute `http` or `https` URL that libcurl reads.
  init?(_ text: String) {
    if let origin = WebURL.plainOrigin(of: text) {
      self.init(plain: text, origin: origin)
    } else {
      self.init(parsing: text)
    }
  }

  /// The same, faster if `last`, a plain one, has the same server and this one is plain, too.
  init?(_ text: String, after last: HopURL?) {
    if let last, last.isPlain, WebURL.isPlain(text, onServerOf: last.text) {
      self.init(plain: text, origin: last.origin)
    } else {
      self.init(text)
    }
  }

  /// The same by libcurl's parser, whatever the URL looks like.
  init?(parsing text: String) {
    guard WebURL.scheme(of: text).map(WebURL.isWeb) == true, var url = CurlURL(), url.set(text) else {
      return nil
    }
    url.remove(CURLUPART_FRAGMENT)
    self.init(url, text: text)
  }

  static func == (a: HopURL, b: HopURL) -> Bool {
    a.text == b.text && a.wire == b.wire && a.origin == b.origin
  }

  /// A plain URL has no query, and so no signature.
  private init(plain text: String, origin: WebOrigin) {
    self.text = text
    wire = text
    isSigned = false
    self.origin = origin
    isPlain = true
  }

  private init?(_ url: borrowing CurlURL, text: String?) {
    guard let wire = url.get(CURLUPART_URL), let scheme = url.get(CURLUPART_SCHEME)?.lowercased(),
      WebURL.isWeb(scheme), let host = url.get(CURLUPART_HOST)?.lowercased(), !host.isEmpty,
      let port = url.get(CURLUPART_PORT).flatMap({ Int($0) })
    else { return nil }
    let whole = text ?? wire
    self.text = SigningParameters.removed(from: whole)
    isSigned = self.text.utf8.count < whole.utf8.count
    self.wire = wire
    origin = WebOrigin(scheme: scheme, host: host, port: port)
  }

  /// A `Location` as it is shown if nothing can be made of it: without a signature, and without a name and password. Where
  /// these end in what is no URL is not known, so that all up to the last `@` is left out.
  static func shown(_ location: String) -> String {
    let text = SigningParameters.removed(from: location)
    let scheme = WebURL.scheme(of: text).map { $0.utf8.count + 1 } ?? 0
    func isSlash(_ byte: UInt8) -> Bool { "/\\".utf8.contains(byte) }
    var rest = text.utf8.dropFirst(scheme)
    if scheme == 0 {
      // Without one, a server's name comes after two slashes.
      let pair = zip(rest.indices, rest.indices.dropFirst()).first { isSlash(rest[$0]) && isSlash(rest[$1]) }
      guard let pair else { return text }
      rest = rest[pair.0...]
    }
    let start = rest.drop(while: isSlash).startIndex
    guard let end = text.utf8.lastIndex(of: UInt8(ascii: "@")), start < end else { return text }
    return String(text[..<start]) + "***" + text[end...]
  }

  /// The target of a redirect from here; a name or password in it is removed.
  func following(_ location: String) -> Result<HopURL, RedirectFault> {
    // RFC 3986, section 5.2.2: the same resource. libcurl would leave the path out.
    if location.utf8.first == UInt8(ascii: "#") { return .success(self) }
    // libcurl would read `mailto:x` as a path.
    if let scheme = WebURL.scheme(of: location), !WebURL.isWeb(scheme) { return .failure(.scheme) }
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
}
