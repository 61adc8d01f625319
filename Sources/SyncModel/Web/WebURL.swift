/// Whom credentials are for: all three must be equal.
package struct WebOrigin: Hashable, Sendable {
  /// `http` or `https`.
  package var scheme: String
  /// Lower case; an IPv6 address with its brackets.
  package var host: String
  /// From 1 to 65535.
  package var port: Int

  /// Nothing is checked.
  package init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }
}

/// The parts of an absolute `http` or `https` URL that decisions need; never sent, only compared.
///
/// What it accepts, libcurl's parser accepts too, with the same parts (`Tests/FuzzingTests/Checks/URLCheck.swift`).
package struct WebURL: Sendable, Equatable {
  /// The port is the scheme's default if none is written.
  package var origin: WebOrigin
  /// Without query and fragment; starts with `/`.
  package var path: String
  /// Without its mark; empty if there is none.
  package var query: String
  /// Whether an `@` precedes the host, even with nothing before it.
  package var hasCredentials: Bool

  /// The host of its ``origin``.
  package var host: String { origin.host }

  /// `nil` unless `text` is an absolute `http` or `https` URL with a host and a port that can be.
  package init?(_ text: String) {
    // Bytes, not characters: to Swift a "/" or "@" before a combining accent is another character.
    let bytes = text.utf8
    guard let scheme = Self.scheme(of: text), Self.isWeb(scheme),
      bytes.dropFirst(scheme.utf8.count).starts(with: "://".utf8),
      !bytes.contains(where: Self.isControlOrSpace)
    else { return nil }
    let rest = bytes.dropFirst(scheme.utf8.count + 3)
    var authority = rest.prefix { !Self.endsAuthority($0) }
    let tail = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    hasCredentials = at != nil
    if let at { authority = authority[at...].dropFirst() }
    guard let (host, portText) = Self.hostAndPort(authority) else { return nil }
    var port = scheme == "https" ? 443 : 80
    if !portText.isEmpty {
      guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(portText),
        (1...65535).contains(number)
      else { return nil }
      port = number
    }
    origin = WebOrigin(scheme: scheme, host: host, port: port)
    let ownPath = tail.prefix { $0 != UInt8(ascii: "?") }
    path = ownPath.isEmpty ? "/" : String(Substring(ownPath))
    query = String(Substring(tail[ownPath.endIndex...].dropFirst()))
  }

  /// The host in lower case and the text after its colon; `nil` if it cannot be a host.
  private static func hostAndPort(_ authority: Substring.UTF8View) -> (host: String, port: String)? {
    let host: String
    var tail: Substring.UTF8View
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let inside = authority[..<close].dropFirst()
      let address = inside.prefix { $0 != UInt8(ascii: "%") }
      guard isIPv6(address), isZone(inside[address.endIndex...]) else { return nil }
      host = "[" + Substring(address).lowercased() + "]"
      tail = authority[close...].dropFirst()
    } else {
      let written = authority.prefix { $0 != UInt8(ascii: ":") }
      guard let name = percentDecoded(String(Substring(written))), !name.isEmpty,
        name.utf8.allSatisfy(mayBeInHost)
      else { return nil }
      host = name.lowercased()
      tail = authority[written.endIndex...]
    }
    guard tail.isEmpty || tail.first == UInt8(ascii: ":") else { return nil }
    tail = tail.dropFirst()
    return (host, String(Substring(tail)))
  }

  /// Eight groups of hexadecimal digits, with `::` for some that are zero; an IPv4 address may be the last two.
  private static func isIPv6(_ text: Substring.UTF8View) -> Bool {
    var groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard groups.count > 2 else { return false }
    // At an end `::` makes two empty groups.
    if groups[0].isEmpty { guard groups.removeFirst().isEmpty, groups[0].isEmpty else { return false } }
    if groups.count > 1, groups[groups.count - 1].isEmpty {
      guard groups.removeLast().isEmpty, groups[groups.count - 1].isEmpty else { return false }
    }
    var count = groups.count { !$0.isEmpty }
    let gaps = groups.count - count
    if let last = groups.last, last.contains(UInt8(ascii: ".")) {
      guard isIPv4(last) else { return false }
      groups.removeLast()
      count += 1
    }
    let isHexadecimal = groups.allSatisfy { $0.count <= 4 && $0.allSatisfy { $0.hexValue != nil } }
    return isHexadecimal && (gaps == 0 ? count == 8 : gaps == 1 && count < 8)
  }

  /// Whether libcurl takes it from the end of an address: nothing, or `%25` and a name.
  private static func isZone(_ text: Substring.UTF8View) -> Bool {
    guard text.starts(with: "%25".utf8) else { return text.isEmpty }
    let name = text.dropFirst(3)
    return (1...15).contains(name.count)
      && name.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
  }

  private static func isIPv4(_ text: Substring.UTF8View) -> Bool {
    let numbers = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return numbers.count == 4
      && numbers.allSatisfy { digits in
        (1...3).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
          && (digits.count == 1 || digits.first != 0x30) && Int(Substring(digits)).map { $0 < 256 } == true
      }
  }

  /// The text before the first colon in lower case, if it can be a scheme (RFC 3986, section 3.1).
  package static func scheme(of text: String) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text.utf8[..<colon]
    func isLetter(_ c: UInt8) -> Bool { (0x61...0x7A).contains(c | 0x20) }
    guard scheme.first.map(isLetter) == true,
      scheme.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) })
    else { return nil }
    return text[..<colon].lowercased()
  }

  /// Whether `scheme`, in lower case, is one of the two.
  package static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

  private static func isControlOrSpace(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }

  /// Whether `byte` is one of `/`, `?` and `#`, which end host and port.
  package static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Whether libcurl takes the byte as part of a host's name.
  private static func mayBeInHost(_ byte: UInt8) -> Bool {
    !isControlOrSpace(byte) && !"\"<>\\^`{|}[]/:#?!@$%'*=;,+&()".utf8.contains(byte)
  }

  /// The path's last part with percent escapes decoded; `nil` if it cannot name a file.
  package var lastPathPart: String? { Self.lastPart(ofPath: path) }

  /// The last part of `path`, decoded; `nil` when empty, `.`, `..`, not UTF-8, or holding `/` or NUL.
  package static func lastPart(ofPath path: String) -> String? {
    let part = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
    guard let part, let decoded = percentDecoded(String(Substring(part))), !decoded.isEmpty, decoded != ".",
      decoded != "..",
      !decoded.utf8.contains(0), !decoded.utf8.contains(UInt8(ascii: "/"))
    else { return nil }
    return decoded
  }

  /// `text` with its percent escapes decoded; `nil` when one is malformed or the result is not UTF-8.
  package static func percentDecoded(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return percentDecodedBytes(text).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The same as bytes in any encoding; `nil` when an escape is malformed.
  package static func percentDecodedBytes(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var i = 0
    while i < bytes.count {
      guard bytes[i] == UInt8(ascii: "%") else {
        out.append(bytes[i])
        i += 1
        continue
      }
      guard i + 2 < bytes.count, let high = bytes[i + 1].hexValue, let low = bytes[i + 2].hexValue else {
        return nil
      }
      out.append(high << 4 | low)
      i += 3
    }
    return out
  }
}

extension WebURL {
  /// ``lastPathPart`` of `text`, which has been read as a URL.
  ///
  /// Of nearly every URL one look from its end is enough; a manifest of a million has none to spare.
  package static func lastPathPart(of text: String) -> String? {
    plainLastPart(of: text) ?? WebURL(text)?.lastPathPart
  }

  /// `nil` where the URL may have to be taken apart.
  private static func plainLastPart(of text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      let path = unsafe bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      guard let slash = unsafe path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      let part = unsafe path[(slash + 1)...]
      // Before the path stand a colon and two slashes, and at least one character between those and the path.
      let isPath =
        unsafe path.starts(with: "https://".utf8) && slash > 8
        || path.starts(with: "http://".utf8) && slash > 7
      guard isPath, let first = unsafe part.first, first != UInt8(ascii: "."),
        unsafe part.allSatisfy({ $0 > 0 && $0 < 0x80 && $0 != UInt8(ascii: "%") })
      else { return nil }
      return unsafe String(decoding: part, as: UTF8.self)
    }
  }
}

extension WebURL {
  /// What is between the slashes and the path of a URL that has been read: the host and perhaps a port.
  package static func server(of url: String) -> Substring {
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return url[...] }
    return Substring(bytes[colon...].dropFirst(3).prefix { !endsAuthority($0) })
  }

  /// The text before the `@` of the authority, even if the rest is not a URL.
  package static func userinfo(in text: String) -> Substring.UTF8View? {
    let bytes = text.utf8[...]
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let rest = bytes[colon...].dropFirst().drop { $0 == UInt8(ascii: "/") }
    let authority = rest.prefix { !endsAuthority($0) }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    return authority[..<at]
  }

  /// The host of such a URL as it is written; an IPv6 address has its brackets.
  package static func host(of url: String) -> Substring {
    let server = server(of: url)
    let end =
      server.utf8.first == UInt8(ascii: "[")
      ? server.utf8.firstIndex(of: UInt8(ascii: "]")).map { server.utf8.index(after: $0) }
      : server.utf8.firstIndex(of: UInt8(ascii: ":"))
    return server[..<(end ?? server.endIndex)]
  }
}
