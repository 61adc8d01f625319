/// Reads a JSON document (RFC 8259) piece by piece, so that a large one need not be in memory as values.
///
/// It reads strictly: no comments, no trailing commas, no control characters in strings. An array or an object is begun
/// with ``beginArray()`` or ``beginObject()``; then each ``nextItem()`` or ``nextKey()`` is followed by exactly one
/// value, read by ``value()``, ``skip()``, ``string()`` or another beginning, until there is no next one.
package struct JSONReader {
  /// What a value is, by its first byte.
  package enum Kind: Sendable {
    case object, array, string, number, bool, null
  }

  private let bytes: [UInt8]
  private var place = 0
  /// The open arrays and objects.
  private var depth = 0
  /// Whether the innermost of them has just been begun.
  private var isFirst = false

  /// Reads `bytes`, a document in UTF-8.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The present place, in bytes from the start.
  package var offset: Int { place }

  /// The present place as a fault.
  package var fault: JSONValue.Fault { JSONValue.Fault(line: line) }

  /// The line of the present place, from 1; it takes a look at everything before it.
  package var line: Int { 1 + bytes[..<min(place, bytes.count)].count { $0 == UInt8(ascii: "\n") } }

  /// The kind of the next value; a number if it is none.
  package mutating func kind() -> Kind {
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: return .number
    }
  }

  /// Steps into an object.
  package mutating func beginObject() throws(JSONValue.Fault) { try begin("{") }

  /// Steps into an array.
  package mutating func beginArray() throws(JSONValue.Fault) { try begin("[") }

  /// The next key of the object, with its escapes resolved; `nil` steps out of the object.
  package mutating func nextKey() throws(JSONValue.Fault) -> String? {
    guard try isMore(until: "}") else { return nil }
    skipBlanks()
    guard next == UInt8(ascii: "\"") else { throw fault }
    let key = try string()
    skipBlanks()
    guard take(":") else { throw fault }
    return key
  }

  /// Whether the array has another item; if not, steps out of the array.
  package mutating func nextItem() throws(JSONValue.Fault) -> Bool { try isMore(until: "]") }

  /// Demands that nothing follows.
  package mutating func end() throws(JSONValue.Fault) {
    skipBlanks()
    guard place == bytes.count else { throw fault }
  }

  /// The next value as a whole.
  package mutating func value() throws(JSONValue.Fault) -> JSONValue {
    switch kind() {
    case .object:
      var members: [JSONValue.Member] = []
      try beginObject()
      while let key = try nextKey() {
        members.append(JSONValue.Member(key: ByteString(key), value: try value()))
      }
      return .object(members)
    case .array:
      var items: [JSONValue] = []
      try beginArray()
      while try nextItem() { items.append(try value()) }
      return .array(items)
    case .string: return .string(try string())
    case .bool where next == UInt8(ascii: "t"): return try word("true", .bool(true))
    case .bool: return try word("false", .bool(false))
    case .null: return try word("null", .null)
    case .number: return .number(try number())
    }
  }

  /// Reads the next value and keeps nothing of it.
  package mutating func skip() throws(JSONValue.Fault) {
    switch kind() {
    case .object:
      try beginObject()
      while try isMore(until: "}") {
        skipBlanks()
        guard next == UInt8(ascii: "\"") else { throw fault }
        try skipString()
        skipBlanks()
        guard take(":") else { throw fault }
        try skip()
      }
    case .array:
      try beginArray()
      while try nextItem() { try skip() }
    case .string: try skipString()
    case .number: try scanNumber()
    case .bool, .null: _ = try value()
    }
  }

  // MARK: Steps

  private mutating func begin(_ bracket: Unicode.Scalar) throws(JSONValue.Fault) {
    skipBlanks()
    guard depth <= JSONValue.deepest, take(bracket) else { throw fault }
    depth += 1
    isFirst = true
  }

  private mutating func isMore(until bracket: Unicode.Scalar) throws(JSONValue.Fault) -> Bool {
    skipBlanks()
    if isFirst {
      isFirst = false
      guard take(bracket) else { return true }
    } else {
      if take(",") { return true }
      guard take(bracket) else { throw fault }
    }
    depth -= 1
    return false
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
  }

  /// Steps over `letter`, which is ASCII; whether it was there.
  private mutating func take(_ letter: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: letter) else { return false }
    place += 1
    return true
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONValue.Fault) -> JSONValue {
    guard bytes[place...].starts(with: word.utf8) else { throw fault }
    place += word.utf8.count
    return value
  }

  private mutating func number() throws(JSONValue.Fault) -> String {
    let start = place
    try scanNumber()
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func scanNumber() throws(JSONValue.Fault) {
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
  }

  private mutating func digits() throws(JSONValue.Fault) {
    let start = place
    while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
    guard place > start else { throw fault }
  }

  // MARK: Strings

  /// The next value, which must be a string, with its escapes resolved.
  package mutating func string() throws(JSONValue.Fault) -> String {
    skipBlanks()
    guard take("\"") else { throw fault }
    let start = place
    let isASCII = skipPlain()
    if next == UInt8(ascii: "\"") {
      let plain = bytes[start..<place]
      // Most texts are ASCII, which is always valid UTF-8.
      let text = isASCII ? String(decoding: plain, as: UTF8.self) : String(validating: plain, as: UTF8.self)
      if let text {
        place += 1
        return text
      }
    }
    var out = Array(bytes[start..<place])
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault }
      place += 1
      if byte == UInt8(ascii: "\\") { try escape(&out) } else { out.append(byte) }
    }
    guard take("\""), let text = String(validating: out, as: UTF8.self) else { throw fault }
    return text
  }

  private mutating func skipString() throws(JSONValue.Fault) {
    let start = place
    place += 1
    // What has escapes, or may be no UTF-8, is read as if it were wanted.
    if skipPlain(), next == UInt8(ascii: "\"") {
      place += 1
    } else {
      place = start
      _ = try string()
    }
  }

  /// Up to the end of the string, or what needs a closer look; whether all of that is ASCII.
  private mutating func skipPlain() -> Bool {
    var all: UInt8 = 0
    while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      all |= byte
      place += 1
    }
    return all < 0x80
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
