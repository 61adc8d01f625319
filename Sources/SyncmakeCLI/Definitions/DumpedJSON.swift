/// The JSON of ArgumentParser's dump of a program's definitions.
///
/// The bytes are our own: invalid JSON is `nil`, without a position.
indirect enum DumpedJSON: Equatable {
  case null
  case bool(Bool)
  /// As it is written.
  case number(String)
  case string(String)
  case array([DumpedJSON])
  case object([String: DumpedJSON])

  init?(_ text: String) {
    var reader = Reader(bytes: Array(text.utf8))
    guard let value = reader.value(), reader.isAtEnd else { return nil }
    self = value
  }

  subscript(key: String) -> DumpedJSON? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var isTrue: Bool { self == .bool(true) }
  var items: [DumpedJSON] { if case .array(let items) = self { items } else { [] } }
}

private struct Reader {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Whether only space follows.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == bytes.count
    }
  }

  mutating func value() -> DumpedJSON? {
    skipSpace()
    guard position < bytes.count else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return string().map(DumpedJSON.string)
    default: return word()
    }
  }

  private mutating func object() -> DumpedJSON? {
    var members: [String: DumpedJSON] = [:]
    let isWhole = list(closedBy: "}") { reader in
      guard let key = reader.string(), reader.take(":"), let value = reader.value() else { return false }
      members[key] = value
      return true
    }
    return isWhole ? .object(members) : nil
  }

  private mutating func array() -> DumpedJSON? {
    var items: [DumpedJSON] = []
    let isWhole = list(closedBy: "]") { reader in
      guard let value = reader.value() else { return false }
      items.append(value)
      return true
    }
    return isWhole ? .array(items) : nil
  }

  /// Reads from the opening to the closing bracket; `false` if the text between is invalid.
  private mutating func list(closedBy end: Unicode.Scalar, item: (inout Reader) -> Bool) -> Bool {
    position += 1
    if take(end) { return true }
    repeat {
      guard item(&self) else { return false }
    } while take(",")
    return take(end)
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = escape() else { return nil }
        text += escaped
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> [UInt8]? {
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "u"):
      // No definition has a character beyond the basic plane, which would need two escapes.
      guard position + 4 <= bytes.count,
        let number = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(number)
      else { return nil }
      position += 4
      return Array(String(scalar).utf8)
    default: return [byte]
    }
  }

  private mutating func word() -> DumpedJSON? {
    let start = position
    while position < bytes.count, !",]}".utf8.contains(bytes[position]), bytes[position] > 0x20 {
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    switch text {
    case "null": return .null
    case "true", "false": return .bool(text == "true")
    default: return Double(text) == nil ? nil : .number(text)
    }
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
  }
}
