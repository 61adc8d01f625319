import CLibcurl
import SyncModel

@testable import Transfer

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Any URL: what ``WebURL`` accepts, libcurl accepts, and both find the same parts in it.
enum URLCheck {
  static func run(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    guard CurlLibrary.isLoaded else { throw Violation("libcurl is not there") }
    for url in [text, "http://" + text, "https://a.example/" + text] { try agree(url) }
    try checkReference(text)
  }

  /// What a reference means is an absolute URL, and means the same anywhere.
  private static func checkReference(_ text: String) throws(Violation) {
    for base in ["https://a.example/b/c?d", "http://a.example"] {
      guard let base = URLBase(base), let url = base.resolve(text) else { continue }
      let name = text.debugDescription
      try demand(
        WebURL(url) != nil && !url.utf8.contains(UInt8(ascii: "#")), "\(name) means \(url.debugDescription)")
      let again = URLBase("http://other.example/x")?.resolve(url)
      try demand(again.hasSameBytes(as: url), "\(name) means \(url), and that \(again ?? "nothing")")
    }
    if let path = URLBase.path(naming: text) {
      try demand(
        WebURL.percentDecoded(path).hasSameBytes(as: text), "\(text.debugDescription) has the path \(path)")
    }
    _ = try? LinkField.next(in: [text, "<a>; " + text], of: "https://a.example/")
  }

  private static func agree(_ text: String) throws(Violation) {
    guard let url = WebURL(text) else {
      return try demand(WebURL.plainOrigin(of: text) == nil, "\(text.debugDescription) is plain and no URL")
    }
    let name = text.debugDescription
    if let plain = WebURL.plainOrigin(of: text) {
      try demand(plain == url.origin, "\(name) has the origins \(plain) and \(url.origin)")
    }
    // libcurl ends a host's name at its first `@`; no URL with a name or password is ever sent.
    if url.hasCredentials { return }
    guard var curl = CurlURL(), curl.set(text) else { throw Violation("libcurl refuses \(name)") }
    let scheme = curl.get(CURLUPART_SCHEME)?.lowercased()
    try demand(scheme == url.origin.scheme, "\(name) has the scheme \(scheme ?? "")")
    try demand(curl.get(CURLUPART_PORT) == String(url.origin.port), "\(name) has another port")
    try demand(curl.get(CURLUPART_USER) == nil, "\(name) has a user")
    let host = curl.get(CURLUPART_HOST)?.lowercased() ?? ""
    try demand(
      host.hasSameBytes(as: url.host) || isSameAddress(host, url.host), "\(name) has the host \(host)")
    let query = curl.get(CURLUPART_QUERY) ?? ""
    try demand(decoded(query) == decoded(url.query), "\(name) has the query \(query)")
    // libcurl takes out the parts that lead up.
    let hasDots = url.path.utf8.split(separator: 0x2F).contains {
      [[0x2E], [0x2E, 0x2E]].contains(decoded(String(Substring($0))))
    }
    let path = curl.get(CURLUPART_PATH) ?? ""
    try demand(hasDots || decoded(path) == decoded(url.path), "\(name) has the path \(path)")
    try demand(
      WebURL.host(of: text).lowercased().hasSameBytes(as: url.host) || text.utf8.contains(0x25),
      "\(name) is written with the host \(WebURL.host(of: text))")
  }

  /// libcurl writes addresses in their shortest form, with four decimal numbers.
  private static func isSameAddress(_ a: String, _ b: String) -> Bool {
    func number(_ text: String) -> [UInt8]? {
      if text.utf8.first == 0x5B {
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1 else { return nil }
        return withUnsafeBytes(of: address) { Array($0) }
      }
      var address = in_addr()
      guard inet_aton(text, &address) != 0 else { return nil }
      return withUnsafeBytes(of: address) { Array($0) }
    }
    guard let a = number(a), let b = number(b) else { return false }
    return a == b
  }

  /// With the bytes that escapes stand for; others stay as they are.
  private static func decoded(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    var place = 0
    while place + 2 < bytes.count {
      if bytes[place] == 0x25,
        let byte = UInt8(String(decoding: bytes[(place + 1)...(place + 2)], as: UTF8.self), radix: 16),
        bytes[place + 1] != 0x2B
      {
        bytes.replaceSubrange(place...(place + 2), with: [byte])
      }
      place += 1
    }
    return bytes
  }
}
