/// A JSON document in memory (RFC 8259).
package indirect enum JSONValue: Sendable, Equatable {
  /// A key of an object, and its value.
  package struct Member: Sendable, Equatable {
    /// The key with its escapes resolved.
    package var key: ByteString
    /// The value; any, also another object.
    package var value: JSONValue
  }

  /// The literal `null`.
  case null
  /// The literals `true` and `false`.
  case bool(Bool)
  /// As written.
  case number(String)
  /// With its escapes resolved.
  case string(String)
  /// In the document's order.
  case array([JSONValue])
  /// In the document's order; a key may occur twice.
  case object([Member])

  /// Why bytes are not JSON.
  package struct Fault: Error, Sendable, Equatable {
    /// Counted from 1.
    package var line: Int

    /// `line` counts from 1.
    package init(line: Int) { self.line = line }
  }

  /// The limit for nested arrays and objects.
  package static let deepest = 256

  /// Reads a whole document in UTF-8.
  package init(_ bytes: [UInt8]) throws(Fault) {
    var reader = JSONReader(bytes)
    self = try reader.document()
  }
}

/// Reads strictly: no comments, no trailing commas, no control characters in strings.
private struct JSONReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(JSONValue.Fault) -> JSONValue {
    let value = try value(depth: 0)
    skipBlanks()
    guard place == bytes.count else { throw fault }
    return value
  }

  private var fault: JSONValue.Fault {
    JSONValue.Fault(line: 1 + bytes[..<min(place, bytes.count)].count { $0 == UInt8(ascii: "\n") })
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
  }

  /// Steps over `byte`; whether it was there.
  private mutating func take(_ byte: Character) -> Bool {
    guard next == byte.asciiValue else { return false }
    place += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONValue.Fault) -> JSONValue {
    guard depth <= JSONValue.deepest else { throw fault }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONValue.Fault) -> JSONValue {
    guard bytes[place...].starts(with: word.utf8) else { throw fault }
    place += word.utf8.count
    return value
  }

  private mutating func object(_ depth: Int) throws(JSONValue.Fault) -> JSONValue {
    place += 1
    var members: [JSONValue.Member] = []
    skipBlanks()
    if take("}") { return .object(members) }
    repeat {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw fault }
      let key = ByteString(try string())
      skipBlanks()
      guard take(":") else { throw fault }
      members.append(JSONValue.Member(key: key, value: try value(depth: depth + 1)))
      skipBlanks()
    } while take(",")
    guard take("}") else { throw fault }
    return .object(members)
  }

  private mutating func array(_ depth: Int) throws(JSONValue.Fault) -> JSONValue {
    place += 1
    var items: [JSONValue] = []
    skipBlanks()
    if take("]") { return .array(items) }
    repeat {
      items.append(try value(depth: depth + 1))
      skipBlanks()
    } while take(",")
    guard take("]") else { throw fault }
    return .array(items)
  }

  private mutating func number() throws(JSONValue.Fault) -> String {
    let start = place
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func digits() throws(JSONValue.Fault) {
    let start = place
    while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
    guard place > start else { throw fault }
  }

  private mutating func string() throws(JSONValue.Fault) -> String {
    place += 1
    var out: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault }
      place += 1
      if byte == UInt8(ascii: "\\") { try escape(&out) } else { out.append(byte) }
    }
    guard take("\""), let text = String(validating: out, as: UTF8.self) else { throw fault }
    return text
  }

  private mutating func escape(_ out: inout [UInt8]) throws(JSONValue.Fault) {
    guard let byte = next else { throw fault }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "u"):
      var value = try codeUnit()
      if (0xD800..<0xDC00).contains(value) {
        guard take("\\"), take("u") else { throw fault }
        let low = try codeUnit()
        guard (0xDC00..<0xE000).contains(low) else { throw fault }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(value) else { throw fault }
      out.append(contentsOf: String(Character(scalar)).utf8)
    default: throw fault
    }
  }

  private mutating func codeUnit() throws(JSONValue.Fault) -> UInt32 {
    guard place + 4 <= bytes.count else { throw fault }
    let digits = bytes[place..<place + 4]
    var value: UInt32 = 0
    for digit in digits {
      guard let four = digit.hexValue else { throw fault }
      value = value << 4 | UInt32(four)
    }
    place += 4
    return value
  }
}
