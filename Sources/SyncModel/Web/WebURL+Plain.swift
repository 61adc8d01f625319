/// Plain URLs: libcurl's parser would leave them as they are. Most are, and that parser costs more than the rest of
/// what a request needs on our side.
extension WebURL {
  /// The origin of a plain URL; `nil` for whatever needs a closer look: capitals and escapes, a user, dots that lead up,
  /// a query, an address in another form than four decimal numbers.
  package static func plainOrigin(of text: String) -> WebOrigin? {
    var text = text
    return text.withUTF8 { unsafe split(UnsafeRawBufferPointer($0)) }
  }

  /// Whether `text` is as plain as `other` is, on the same server; many URLs in a row are.
  package static func isPlain(_ text: String, onServerOf other: String) -> Bool {
    var (text, other) = (text, other)
    return text.withUTF8 { text in
      other.withUTF8 { other in
        let (text, other) = (UnsafeRawBufferPointer(text), UnsafeRawBufferPointer(other))
        guard let start = unsafe authorityEnd(of: other), text.count > start,
          unsafe UnsafeRawBufferPointer(rebasing: text[...start]).holdsSame(
            as: UnsafeRawBufferPointer(rebasing: other[...start]))
        else { return false }
        return unsafe isPlain(path: UnsafeRawBufferPointer(rebasing: text[start...]))
      }
    }
  }

  /// Whether `text` is a URL of this kind.
  package static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool { unsafe split(text) != nil }

  /// The position of the third slash, with which the path begins.
  package static func authorityEnd(of text: UnsafeRawBufferPointer) -> Int? {
    var slashes = 0
    return unsafe text.firstIndex { byte in
      if byte == UInt8(ascii: "/") { slashes += 1 }
      return slashes == 3
    }
  }

  private static func split(_ text: UnsafeRawBufferPointer) -> WebOrigin? {
    let isSecure = unsafe text.starts(with: "https://".utf8)
    guard unsafe isSecure || text.starts(with: "http://".utf8) else { return nil }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: text[(isSecure ? 8 : 7)...])
    guard let slash = unsafe rest.firstIndex(of: UInt8(ascii: "/")),
      unsafe isPlain(path: UnsafeRawBufferPointer(rebasing: rest[slash...]))
    else { return nil }
    let colon = unsafe rest[..<slash].firstIndex(of: UInt8(ascii: ":"))
    let host = unsafe UnsafeRawBufferPointer(rebasing: rest[..<(colon ?? slash)])
    guard unsafe isPlain(host: host) else { return nil }
    var port = isSecure ? 443 : 80
    if let colon {
      guard
        let written = unsafe number(UnsafeRawBufferPointer(rebasing: rest[(colon + 1)..<slash]), most: 65535),
        written > 0
      else { return nil }
      port = written
    }
    return unsafe WebOrigin(
      scheme: isSecure ? "https" : "http", host: String(decoding: host, as: UTF8.self), port: port)
  }

  /// Letters, digits, `-`, `_`, `~`, and dots that do not follow a slash.
  package static func isPlain(path: UnsafeRawBufferPointer) -> Bool {
    var last: UInt8 = 0
    for place in path.indices {
      let byte = unsafe path[place]
      switch byte {
      case 0x61...0x7a, 0x30...0x39, 0x41...0x5a, 0x2d, 0x5f, 0x7e, 0x2f: break
      case 0x2e where last != 0x2f: break
      default: return false
      }
      last = byte
    }
    return true
  }

  /// A lower-case name whose last part is not a number, or four decimal numbers.
  private static func isPlain(host: UnsafeRawBufferPointer) -> Bool {
    var rest = unsafe host[...]
    var (labels, areNumbers) = (0, true)
    while true {
      let label = unsafe UnsafeRawBufferPointer(
        rebasing: rest[..<(rest.firstIndex(of: 0x2e) ?? rest.endIndex)])
      guard let first = unsafe label.first, unsafe label.allSatisfy(isOfName) else { return false }
      labels += 1
      areNumbers = unsafe areNumbers && number(label, most: 255) != nil
      unsafe rest = rest.dropFirst(label.count)
      // The last one decides what the whole is.
      guard unsafe !rest.isEmpty else { return (0x61...0x7a).contains(first) || (areNumbers && labels == 4) }
      unsafe rest = rest.dropFirst()
    }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d
  }

  /// Decimal, without zeros in front; `nil` for anything else, and for more than `most`.
  private static func number(_ digits: UnsafeRawBufferPointer, most: Int) -> Int? {
    guard (1...5).contains(digits.count), unsafe digits.count == 1 || digits[0] != 0x30 else { return nil }
    var value = 0
    for place in digits.indices {
      let digit = unsafe digits[place]
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value <= most ? value : nil
  }
}
