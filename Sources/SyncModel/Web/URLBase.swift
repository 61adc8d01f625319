/// The URL of a document, against which the references in it are resolved (RFC 3986, section 5).
package struct URLBase: Sendable, Equatable {
  /// Without its fragment.
  package let url: String
  /// `http` or `https`; `file` for ``localFile``.
  package let scheme: String
  /// Up to the path: `https://host:port`.
  package let server: String
  /// As written, with escapes; begins with `/`.
  package let path: String

  /// The length that a URL may have; servers and libcurl's users refuse longer ones anyway.
  package static let longest = 8192

  /// `nil` unless `text` is an absolute URL, as ``WebURL`` reads it.
  package init?(_ text: String) {
    guard let parts = WebURL(text) else { return nil }
    let bytes = text.utf8
    url = String(Substring(bytes.prefix { $0 != UInt8(ascii: "#") }))
    scheme = parts.origin.scheme
    server = scheme + "://" + WebURL.server(of: text)
    path = parts.path
  }

  /// The base of a document that is a local file: against it only absolute references mean something.
  package static let localFile = URLBase(url: "file:///", scheme: "file", server: "file://", path: "/")

  private init(url: String, scheme: String, server: String, path: String) {
    self.url = url
    self.scheme = scheme
    self.server = server
    self.path = path
  }

  /// Up to the path's last slash.
  package var folder: String { server + pathFolder }

  private var pathFolder: Substring {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
    return path[...slash]
  }

  /// The absolute URL that `reference` means here, without a fragment; `nil` if that is no `http` or `https` URL.
  ///
  /// Blanks around it are ignored, as XML and HTML have them. What a URL cannot contain is escaped, so that an IRI
  /// becomes its URI (RFC 3987, section 3.1). Control characters are a fault.
  package func resolve(_ reference: String) -> String? {
    if let plain = Self.plain(reference) { return plain }
    guard let reference = Self.cleaned(reference) else { return nil }
    let absolute = unchecked(reference)
    guard absolute.utf8.count <= Self.longest, let parts = WebURL(absolute) else { return nil }
    guard Self.hasDots(parts.path) else { return absolute }
    let rest = parts.query.isEmpty ? "" : "?" + parts.query
    return parts.origin.scheme + "://" + WebURL.server(of: absolute) + Self.withoutDots(parts.path) + rest
  }

  /// The reference itself, if nothing can be wrong with it; most are such.
  private static func plain(_ reference: String) -> String? {
    var text = reference
    let isPlain = text.withUTF8 { unsafe $0.count <= longest && WebURL.isPlain(UnsafeRawBufferPointer($0)) }
    return isPlain ? text : nil
  }

  /// RFC 3986, section 5.2.2, without the removal of dots.
  private func unchecked(_ reference: String) -> String {
    let bytes = reference.utf8
    if WebURL.scheme(of: reference) != nil { return reference }
    if bytes.starts(with: "//".utf8) { return scheme + ":" + reference }
    switch bytes.first {
    case nil: return url
    case UInt8(ascii: "/"): return server + reference
    case UInt8(ascii: "?"): return server + path + reference
    default: return server + pathFolder + reference
    }
  }

  // MARK: Characters

  /// Without blanks around it and without a fragment, and with escapes for what a URL does not contain.
  private static func cleaned(_ reference: String) -> String? {
    var bytes = Array(reference.utf8)[...].trimmingWhiteSpace
    if let mark = bytes.firstIndex(of: UInt8(ascii: "#")) { bytes = bytes[..<mark] }
    guard bytes.count <= longest, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    guard bytes.contains(where: needsEscape) else { return String(decoding: bytes, as: UTF8.self) }
    let start = pathStart(bytes)
    return String(decoding: bytes[..<start], as: UTF8.self) + escaped(bytes[start...]) { !needsEscape($0) }
  }

  /// A host has other rules for its characters; they are checked as it is read.
  private static func pathStart(_ bytes: ArraySlice<UInt8>) -> Int {
    var start = bytes.startIndex
    if let scheme = WebURL.scheme(of: String(decoding: bytes, as: UTF8.self)) {
      start += scheme.utf8.count + 1
    }
    guard bytes[start...].starts(with: "//".utf8) else { return start }
    return bytes[(start + 2)...].firstIndex(where: WebURL.endsAuthority) ?? bytes.endIndex
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte)
  }

  /// A path whose decoded parts are those of `name`: each byte that is not unreserved (RFC 3986, section 2.3) is escaped.
  /// `nil` if a part is `.` or `..`, which no path can express.
  package static func path(naming name: String) -> String? {
    if isPlain(name) { return name }
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
      return nil
    }
    return escaped(name.utf8) { isUnreserved($0) || $0 == UInt8(ascii: "/") }
  }

  /// Whether a name is its own path; most are.
  private static func isPlain(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { bytes in
      var last = UInt8(ascii: "/")
      for place in bytes.indices {
        let byte = unsafe bytes[place]
        switch byte {
        case UInt8(ascii: "."): if last == UInt8(ascii: "/") { return false }
        case UInt8(ascii: "/"): break
        default: if !isUnreserved(byte) { return false }
        }
        last = byte
      }
      return true
    }
  }

  /// `text` as a value in a query.
  package static func queryValue(_ text: String) -> String { escaped(text.utf8, except: isUnreserved) }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }

  private static func escaped(_ bytes: some Collection<UInt8>, except isPlain: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    for byte in bytes {
      if isPlain(byte) {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  // MARK: Dots

  /// Whether a part may be `.` or `..`, also in escapes.
  private static func hasDots(_ path: String) -> Bool {
    var last: UInt8 = 0
    for byte in path.utf8 {
      if last == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
      last = byte
    }
    return false
  }

  /// RFC 3986, section 5.2.4; a dot counts in escapes too, as it does to libcurl and to servers.
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring.UTF8View] = []
    let parts = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (place, part) in parts.enumerated() {
      let isLast = place == parts.count - 1
      switch dots(part) {
      case 1: if isLast { kept.append(""[...].utf8) }
      case 2:
        _ = kept.popLast()
        if isLast { kept.append(""[...].utf8) }
      default: kept.append(part)
      }
    }
    return kept.map { "/" + Substring($0) }.joined()
  }

  /// A path as servers understand it: escapes of plain bytes are decoded, and dots removed (RFC 3986, section 6.2.2).
  ///
  /// Some servers also take an escaped slash, or a backslash, for a slash. A part that has `.` or `..` beside one is escaped
  /// once more: so it leads out of no folder.
  package static func normalPath(_ path: String) -> String {
    guard hasDots(path) || path.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") })
    else {
      return path
    }
    let plain = withoutDots(withoutPlainEscapes(path))
    // Two of them may have hidden a third one.
    guard plain == path else { return normalPath(plain) }
    return parts(plain).map { part in
      hidesDots(part) ? part.with("%25", for: "%").with("%255C", for: "\\") : part
    }.joined(separator: "/")
  }

  private static func withoutPlainEscapes(_ path: String) -> String {
    var out: [UInt8] = []
    var rest = Array(path.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = rest[rest.startIndex].hexValue,
        let low = rest[rest.startIndex + 1].hexValue, isUnreserved(high << 4 | low)
      {
        out.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func hidesDots(_ part: String) -> Bool {
    let slashes = ["%2f", "%2F", "%5c", "%5C", "\\"]
    let decoded = slashes.reduce(part) { $0.with("/", for: $1) }
    return decoded != part && parts(decoded).contains { $0 == "." || $0 == ".." }
  }

  private static func parts(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
  }

  /// 1 for `.`, 2 for `..`, else 0.
  private static func dots(_ part: Substring.UTF8View) -> Int {
    guard part.count <= 6, let text = WebURL.percentDecoded(String(Substring(part))) else { return 0 }
    return text == "." ? 1 : text == ".." ? 2 : 0
  }
}
