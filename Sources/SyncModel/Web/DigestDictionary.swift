/// Reads a dictionary of structured fields (RFC 8941, section 3.2), such as `Repr-Digest` and `Content-Digest`.
///
/// Only byte sequences matter. Members of other types are skipped, since an unknown one does not make the rest
/// invalid; a text that is not a dictionary is invalid as a whole.
struct DigestDictionary {
  /// One member of the dictionary, in the field's order; of two with one key only the last is there.
  struct Member: Equatable {
    var key: String
    /// The bytes; `nil` if the value is of another type.
    var bytes: [UInt8]?
    /// The value's text, parameters included.
    var text: String
  }

  private(set) var members: [Member] = []
  private var rest: ArraySlice<UInt8>

  /// `nil` if `text` is not a dictionary.
  init?(_ text: String) {
    rest = Array(text.utf8)[...]
    skip { $0 == 0x20 }
    while !rest.isEmpty {
      guard readMember() else { return nil }
      skip { $0 == 0x20 || $0 == 0x09 }
      if rest.isEmpty { return }
      guard take(",") else { return nil }
      skip { $0 == 0x20 || $0 == 0x09 }
      // A comma at the end is an error.
      if rest.isEmpty { return nil }
    }
  }

  private mutating func readMember() -> Bool {
    guard let key = readKey() else { return false }
    let start = rest
    var bytes: [UInt8]?
    if take("=") {
      if rest.first == UInt8(ascii: "(") {
        guard readInnerList() else { return false }
      } else {
        guard readItem(&bytes) else { return false }
      }
    }
    guard readParameters() else { return false }
    let text = String(decoding: start[..<rest.startIndex].drop { $0 == UInt8(ascii: "=") }, as: UTF8.self)
    members.removeAll { $0.key == key }
    members.append(Member(key: key, bytes: bytes, text: text))
    return true
  }

  private mutating func readKey() -> String? {
    guard let first = rest.first, Self.isLower(first) || first == UInt8(ascii: "*") else { return nil }
    return String(
      decoding: read { Self.isLower($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }, as: UTF8.self)
  }

  private mutating func readInnerList() -> Bool {
    _ = take("(")
    while true {
      skip { $0 == 0x20 }
      if take(")") { return true }
      var bytes: [UInt8]?
      guard readItem(&bytes), readParameters(), rest.first == 0x20 || rest.first == UInt8(ascii: ")") else {
        return false
      }
    }
  }

  private mutating func readParameters() -> Bool {
    while take(";") {
      skip { $0 == 0x20 }
      guard readKey() != nil else { return false }
      var bytes: [UInt8]?
      if take("="), !readItem(&bytes) { return false }
    }
    return true
  }

  /// A bare item: a byte sequence, a string, a token, a boolean or a number.
  private mutating func readItem(_ bytes: inout [UInt8]?) -> Bool {
    guard let first = rest.first else { return false }
    switch first {
    case UInt8(ascii: ":"):
      _ = take(":")
      let text = read { $0 != UInt8(ascii: ":") }
      guard take(":"), let decoded = Base64.decode(unpadded: text) else { return false }
      bytes = decoded
      return true
    case UInt8(ascii: "\""): return readString()
    case UInt8(ascii: "?"):
      _ = take("?")
      return take("0") || take("1")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      _ = take("-")
      let digits = read { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
      return digits.first.map(Self.isDigit) == true && digits.last.map(Self.isDigit) == true
        && digits.count <= 16 && digits.count { $0 == UInt8(ascii: ".") } <= 1
    default:
      guard Self.isLetter(first) || first == UInt8(ascii: "*") else { return false }
      _ = read { Self.isLetter($0) || Self.isDigit($0) || "!#$%&'*+-.^_`|~:/".utf8.contains($0) }
      return true
    }
  }

  private mutating func readString() -> Bool {
    _ = take("\"")
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
        else { return false }
      case 0x20..<0x7F: continue
      default: return false
      }
    }
    return false
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

  private mutating func read(_ isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return part
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private static func isLower(_ c: UInt8) -> Bool { (0x61...0x7a).contains(c) }
  private static func isLetter(_ c: UInt8) -> Bool { isLower(c | 0x20) && c >= 0x41 }
  private static func isDigit(_ c: UInt8) -> Bool { (0x30...0x39).contains(c) }
}
