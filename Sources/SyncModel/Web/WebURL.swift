/// The parts of an absolute `http` or `https` URL that decisions need; never sent, only compared.
package struct WebURL: Sendable, Equatable {
  /// `http` or `https`.
  package var scheme: String
  /// Lower case, without brackets around an IPv6 address.
  package var host: String
  /// The scheme's own where none is written.
  package var port: Int
  /// Without query and fragment; starts with `/`.
  package var path: String
  package var hasCredentials: Bool

  /// `nil` unless `text` is an absolute `http` or `https` URL with a host and a port that can be.
  package init?(_ text: String) {
    guard let colon = text.range(of: "://") else { return nil }
    scheme = text[..<colon.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[colon.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    var authority = rest[..<end]
    hasCredentials = authority.contains("@")
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    var portText: Substring = ""
    if authority.first == "[" {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<close].lowercased()
      let tail = authority[authority.index(after: close)...]
      guard tail.isEmpty || tail.first == ":" else { return nil }
      portText = tail.dropFirst()
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon].lowercased()
      portText = authority[authority.index(after: colon)...]
    } else {
      host = authority.lowercased()
    }
    guard !host.isEmpty, !host.contains(where: { $0 == " " || $0 == ":" && authority.first != "[" }) else {
      return nil
    }
    if portText.isEmpty {
      port = scheme == "https" ? 443 : 80
    } else {
      guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(portText),
        (1...65535).contains(number)
      else { return nil }
      port = number
    }
    var tail = rest[end...]
    tail = tail[..<(tail.firstIndex { $0 == "?" || $0 == "#" } ?? tail.endIndex)]
    path = tail.isEmpty ? "/" : String(tail)
  }

  /// Whether credentials for one may go to the other: same scheme, host and port.
  package func hasSameOrigin(as other: WebURL) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  /// The path's last part with percent escapes decoded; `nil` when there is none that could name a file.
  package var lastPathPart: String? { Self.lastPart(ofPath: path) }

  /// The last part of `path`, decoded; `nil` when empty, `.`, `..`, not UTF-8, or holding `/` or NUL.
  package static func lastPart(ofPath path: String) -> String? {
    let part = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let decoded = percentDecoded(String(part)), !decoded.isEmpty, decoded != ".", decoded != "..",
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
      guard i + 2 < bytes.count, let high = value(bytes[i + 1]), let low = value(bytes[i + 2]) else { return nil }
      out.append(high << 4 | low)
      i += 3
    }
    return String(validating: out, as: UTF8.self)
  }
}

extension String {
  /// Where `needle` first stands; the standard library has none for macOS 15 and Linux alike.
  fileprivate func range(of needle: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
      start = index(after: start)
    }
    return nil
  }
}
