/// The parts of an absolute `http` or `https` URL that decisions need; never sent, only compared.
package struct WebURL: Sendable, Equatable {
  /// `http` or `https`.
  package var scheme: String
  /// Lower case, without brackets around an IPv6 address.
  package var host: String
  /// The scheme's default if none is written.
  package var port: Int
  /// Without query and fragment; starts with `/`.
  package var path: String
  /// Whether an `@` precedes the host, even with nothing before it.
  package var hasCredentials: Bool

  /// `nil` unless `text` is an absolute `http` or `https` URL with a host and a port that can be.
  package init?(_ text: String) {
    // Bytes, not characters: to Swift a "/" or "@" before a combining accent is another character.
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      return nil
    }
    scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = bytes[colon...].dropFirst(3)
    var authority = rest.prefix { !Self.endsAuthority($0) }
    let tail = rest[authority.endIndex...]
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    hasCredentials = at != nil
    if let at { authority = authority[at...].dropFirst() }
    guard let (host, portText) = Self.hostAndPort(authority) else { return nil }
    self.host = host
    if portText.isEmpty {
      port = scheme == "https" ? 443 : 80
    } else {
      guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(portText),
        (1...65535).contains(number)
      else { return nil }
      port = number
    }
    let ownPath = tail.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    path = ownPath.isEmpty ? "/" : String(Substring(ownPath))
  }

  /// The host in lower case and the text after its colon; `nil` if it cannot be a host.
  private static func hostAndPort(_ authority: Substring.UTF8View) -> (host: String, port: String)? {
    let host: Substring.UTF8View
    var tail: Substring.UTF8View
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      host = authority[..<close].dropFirst()
      tail = authority[close...].dropFirst()
    } else {
      host = authority.prefix { $0 != UInt8(ascii: ":") }
      tail = authority[host.endIndex...]
    }
    guard !host.isEmpty, tail.isEmpty || tail.first == UInt8(ascii: ":"),
      host.allSatisfy(mayBeInHost)
    else { return nil }
    tail = tail.dropFirst()
    return (Substring(host).lowercased(), String(Substring(tail)))
  }

  /// Whether `byte` is one of `/`, `?` and `#`, which end host and port.
  package static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func mayBeInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
      UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: true
    }
  }

  /// Whether credentials for one may go to the other: same scheme, host and port.
  package func hasSameOrigin(as other: WebURL) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
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
    func value(_ c: UInt8) -> UInt8? {
      switch c {
      case 0x30...0x39: c - 0x30
      case 0x41...0x46: c - 0x41 + 10
      case 0x61...0x66: c - 0x61 + 10
      default: nil
      }
    }
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var i = 0
    while i < bytes.count {
      guard bytes[i] == UInt8(ascii: "%") else {
        out.append(bytes[i])
        i += 1
        continue
      }
      guard i + 2 < bytes.count, let high = value(bytes[i + 1]), let low = value(bytes[i + 2]) else {
        return nil
      }
      out.append(high << 4 | low)
      i += 3
    }
    return String(validating: out, as: UTF8.self)
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
