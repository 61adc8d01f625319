import SyncModel

/// The tags and texts of an HTML page, one after the other. It reads what the pages of servers have: no page is refused.
struct HTMLTags {
  /// One piece of a page.
  enum Piece {
    /// A beginning or an end; `name` is in lower case, with a slash before it for an end.
    case tag(name: String, attributes: ArraySlice<UInt8>)
    /// Text between two tags, as written.
    case text(ArraySlice<UInt8>)
  }

  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next piece; `nil` at the end, and where a tag has none.
  mutating func next() -> Piece? {
    guard place < bytes.count else { return nil }
    guard bytes[place] == UInt8(ascii: "<") else {
      let start = place
      place = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
      return .text(bytes[start..<place])
    }
    let rest = bytes[place...]
    if rest.starts(with: "<!--".utf8) {
      // `<!-->` is a whole comment.
      skip(to: "-->", from: place + 2)
      return .text([])
    }
    guard let end = tagEnd(place + 1) else {
      place = bytes.count
      return nil
    }
    let inside = bytes[(place + 1)..<end]
    let name = inside.prefix { !Self.isBlank($0) && ($0 != UInt8(ascii: "/") || $0 == inside.first) }
    place = end + 1
    let text = String(decoding: name, as: UTF8.self).lowercased()
    // What looks like tags in these is not any.
    if ["script", "style", "textarea", "xmp", "iframe", "noembed", "noframes"].contains(text) {
      skip(to: "</" + text, from: place, keeping: true)
    }
    return .tag(name: text, attributes: inside[name.endIndex...])
  }

  /// Beyond the next `mark`, or before it if that is kept.
  private mutating func skip(to mark: String, from start: Int, keeping: Bool = false) {
    let mark = Array(mark.utf8)
    place = start
    while place + mark.count <= bytes.count {
      if (0..<mark.count).allSatisfy({ Self.lower(bytes[place + $0]) == mark[$0] }) {
        place += keeping ? 0 : mark.count
        return
      }
      place += 1
    }
    place = bytes.count
  }

  /// The place of the `>` that ends the tag whose inside begins at `start`; one in quotes is passed over.
  private func tagEnd(_ start: Int) -> Int? {
    var quote: UInt8?
    var last: UInt8 = 0
    for place in start..<bytes.count {
      let byte = bytes[place]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        return place
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), last == UInt8(ascii: "=") {
        quote = byte
      }
      if !Self.isBlank(byte) { last = byte }
    }
    return nil
  }

  /// The value of an attribute with its entities decoded; `nil` if it is not there or has no value.
  static func attribute(_ wanted: String, in attributes: ArraySlice<UInt8>) -> String? {
    var rest = attributes
    while true {
      rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: "/") }
      let name = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "/") }
      rest = rest[name.endIndex...].drop(while: isBlank)
      guard rest.first == UInt8(ascii: "=") else {
        guard !name.isEmpty else { return nil }
        continue
      }
      rest = rest.dropFirst().drop(while: isBlank)
      let value: ArraySlice<UInt8>
      if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        value = rest.dropFirst().prefix { $0 != quote }
        rest = rest[value.endIndex...].dropFirst()
      } else {
        value = rest.prefix { !isBlank($0) }
        rest = rest[value.endIndex...]
      }
      if name.map(lower).elementsEqual(wanted.utf8) { return HTMLEntities.decoded(value) }
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

/// The references to characters that servers write in their pages.
enum HTMLEntities {
  private static let named: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
  ]

  /// `text` with its references decoded; one that is unknown stays as it is. What is no UTF-8 is repaired.
  static func decoded(_ text: ArraySlice<UInt8>) -> String {
    guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
    var out: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      if byte == UInt8(ascii: "&"), let (decoded, end) = reference(rest.dropFirst()) {
        out += Array(decoded.utf8)
        rest = rest[end...]
      } else {
        out.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The character behind an ampersand, and where its reference ends.
  private static func reference(_ text: ArraySlice<UInt8>) -> (String, Int)? {
    guard let end = text.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: text[..<end], as: UTF8.self)
    if let character = named[name] { return (character, end + 1) }
    guard name.utf8.first == UInt8(ascii: "#") else { return nil }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    guard let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
      let scalar = Unicode.Scalar(number)
    else { return nil }
    return (String(Character(scalar)), end + 1)
  }
}
