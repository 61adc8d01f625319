import SyncModel

/// Why a text is not a URL; the reader words the message.
enum SourceURLFault: Error, Equatable {
  case empty
  case whitespace
  case control(UInt32)
  case unknownScheme(String)
  /// `password` is what must not be shown; `nil` when there is only a user's name.
  case credentials(password: String?)
  /// No host, or a port that cannot be.
  case notWeb
  /// Not `file:///` and an absolute path.
  case notFileURL
  case absolutePath
  case folder
  /// A path that begins with `~`, as shells write a home folder.
  case home
  /// It has the value of an output in it, and is not one of http or https.
  case notWebWithValue
}

/// Reads what a manifest may give as an address (contract, section 2, `url`).
enum SourceURLText {
  static func parse(_ text: String) throws(SourceURLFault) -> SourceURL {
    isPlainWeb(text) ? .web(text) : try parseCarefully(text)
  }

  /// ``parse(_:)`` for any text; texts that pass ``isPlainWeb(_:)`` need no further check.
  static func parseCarefully(_ text: String) throws(SourceURLFault) -> SourceURL {
    guard !text.isEmpty else { throw .empty }
    if let bad = Quoting.firstControl(text) { throw .control(bad.value) }
    guard let scheme = WebURL.scheme(of: text) else { return try path(text) }
    // A path may contain a space; a URL may not.
    guard !hasWhitespace(text) else { throw .whitespace }
    switch scheme {
    case "http", "https": return try web(withoutFragment(text))
    case "file": return try file(withoutFragment(text))
    default: throw .unknownScheme(scheme)
    }
  }

  /// Finds what is wrong with every URL that begins with `text` and goes on with the value of an output.
  static func checkBeginning(_ text: String) throws(SourceURLFault) {
    if let bad = Quoting.firstControl(text) { throw .control(bad.value) }
    guard let scheme = WebURL.scheme(of: text) else {
      // Before a colon or a slash there is no scheme then, whatever follows.
      if text.utf8.contains(where: { ":/".utf8.contains($0) }) { throw .notWebWithValue }
      return
    }
    guard !hasWhitespace(text) else { throw .whitespace }
    switch scheme {
    case "http", "https":
      if let userinfo = WebURL.userinfo(in: text) { throw .credentials(password: password(userinfo)) }
    case "file": throw .notWebWithValue
    default: throw .unknownScheme(scheme)
    }
  }

  /// Whether one walk shows what nearly every URL is: `http` or `https`, a host of small letters, digits, dots and
  /// hyphens, perhaps a port, and a path without a fragment; all in ASCII that can be seen.
  static func isPlainWeb(_ text: String) -> Bool {
    unsafe text.withBytes { bytes in
      var place = 0
      func take(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard place + length <= bytes.count,
          unsafe UnsafeRawBufferPointer(rebasing: bytes[place..<place + length])
            .holdsSame(as: UnsafeRawBufferPointer(start: word.utf8Start, count: length))
        else { return false }
        place += length
        return true
      }
      guard take("http") else { return false }
      _ = take("s")
      guard take("://") else { return false }
      let host = place
      while place < bytes.count, unsafe isOfHost(bytes[place]) { place += 1 }
      guard place > host else { return false }
      if take(":") {
        let start = place
        var port = 0
        while place < bytes.count, place <= start + 5, unsafe isDigit(bytes[place]) {
          unsafe port = 10 * port + Int(bytes[place] - 0x30)
          place += 1
        }
        guard place <= start + 5, (1...65535).contains(port) else { return false }
      }
      guard place < bytes.count, unsafe bytes[place] == UInt8(ascii: "/") else { return false }
      for index in place..<bytes.count where unsafe !isOfPath(bytes[index]) { return false }
      return true
    }
  }

  private static func isOfHost(_ c: UInt8) -> Bool {
    (0x61...0x7A).contains(c) || isDigit(c) || c == UInt8(ascii: ".") || c == UInt8(ascii: "-")
  }

  private static func isOfPath(_ c: UInt8) -> Bool { c &- 0x21 <= 0x7E - 0x21 && c != UInt8(ascii: "#") }

  private static func isDigit(_ c: UInt8) -> Bool { (0x30...0x39).contains(c) }

  /// Unicode's tables are used only for text beyond ASCII.
  private static func hasWhitespace(_ text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: " "))
      || text.unicodeScalars.contains { !$0.isASCII && $0.properties.isWhitespace }
  }

  private static func withoutFragment(_ text: String) -> String {
    guard let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return text }
    return String(text.utf8[..<hash]) ?? text
  }

  private static func web(_ text: String) throws(SourceURLFault) -> SourceURL {
    if let userinfo = WebURL.userinfo(in: text) { throw .credentials(password: password(userinfo)) }
    guard let url = WebURL(text) else { throw .notWeb }
    guard !url.hasCredentials else { throw .credentials(password: nil) }
    return .web(text)
  }

  private static func password(_ userinfo: Substring.UTF8View) -> String? {
    guard let colon = userinfo.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return String(Substring(userinfo[colon...].dropFirst()))
  }

  private static func file(_ text: String) throws(SourceURLFault) -> SourceURL {
    var rest = text.utf8[...].dropFirst("file:".utf8.count)
    guard rest.starts(with: "//".utf8) else { throw .notFileURL }
    rest = rest.dropFirst(2)
    if Substring(rest).lowercased().hasPrefix("localhost/") { rest = rest.dropFirst("localhost".utf8.count) }
    guard rest.first == UInt8(ascii: "/"), let path = WebURL.percentDecoded(String(Substring(rest))),
      !path.utf8.contains(0)
    else { throw .notFileURL }
    guard path.utf8.last != UInt8(ascii: "/") else { throw .folder }
    return .file(path: path, written: text)
  }

  /// Whether a shell would take the path for one in a home folder: `~`, or `~` or `~NAME` before a slash.
  static func isInHome(_ text: String) -> Bool {
    text == "~" || text.utf8.first == UInt8(ascii: "~") && text.utf8.contains(UInt8(ascii: "/"))
  }

  private static func path(_ text: String) throws(SourceURLFault) -> SourceURL {
    guard text.utf8.first != UInt8(ascii: "/") else { throw .absolutePath }
    guard !isInHome(text) else { throw .home }
    let last = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
    guard let last, !last.isEmpty, !last.elementsEqual(".".utf8), !last.elementsEqual("..".utf8) else {
      throw .folder
    }
    return .file(path: text, written: text)
  }
}
