import SyncModel

/// Writes JSON: fields in the order given, two spaces to a level, the same bytes for the same values.
///
/// Texts go in whole: what could harm a terminal or a CI log is written as an escape, which readers undo.
package struct JSONWriter {
  private var bytes: [UInt8] = []
  private var depth = 0
  private var isFirst = true
  private let isOneLine: Bool

  private init(isOneLine: Bool) { self.isOneLine = isOneLine }

  /// An object on its own line, whose fields `body` writes.
  package static func line(_ body: (inout JSONWriter) -> Void) -> String {
    write(JSONWriter(isOneLine: true), body)
  }

  /// A document: one object, whose fields `body` writes, and a line end.
  package static func document(_ body: (inout JSONWriter) -> Void) -> String {
    write(JSONWriter(isOneLine: false), body)
  }

  /// A list of texts on one line, without a line end.
  static func list(_ values: some Sequence<String>) -> String {
    var writer = JSONWriter(isOneLine: true)
    writer.enclose("[", "]") { list in
      for value in values {
        list.separate()
        list.quote(value)
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func write(_ writer: JSONWriter, _ body: (inout JSONWriter) -> Void) -> String {
    var writer = writer
    writer.enclose("{", "}", body)
    writer.bytes.append(UInt8(ascii: "\n"))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// A text; no field if it is `nil`.
  package mutating func field(_ name: String, _ value: String?) {
    guard let value else { return }
    key(name)
    quote(value)
  }

  /// A whole number; no field if it is `nil`.
  package mutating func field(_ name: String, _ value: Int64?) {
    guard let value else { return }
    key(name)
    bytes += String(value).utf8
  }

  /// A whole number; no field if it is `nil`.
  package mutating func field(_ name: String, _ value: Int?) { field(name, value.map { Int64($0) }) }

  /// A truth value.
  package mutating func field(_ name: String, _ value: Bool) {
    key(name)
    bytes += (value ? "true" : "false").utf8
  }

  /// A `null`, for fields whose absence would mean something else.
  package mutating func null(_ name: String) {
    key(name)
    bytes += "null".utf8
  }

  /// Any value, as it was read.
  mutating func field(_ name: String, _ value: JSONValue) {
    key(name)
    put(value)
  }

  private mutating func put(_ value: JSONValue) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let text): bytes += text.utf8
    case .string(let text): quote(text)
    case .array(let items):
      enclose("[", "]") { list in
        for item in items {
          list.separate()
          list.put(item)
        }
      }
    case .object(let members):
      enclose("{", "}") { json in for member in members { json.field(member.key.text, member.value) } }
    }
  }

  /// An object, whose fields `body` writes.
  package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
    key(name)
    enclose("{", "}", body)
  }

  /// A list of objects, one for each of `values`.
  package mutating func objects<Value>(
    _ name: String, _ values: some Sequence<Value>, _ body: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    enclose("[", "]") { list in
      for value in values {
        list.separate()
        list.enclose("{", "}") { body(&$0, value) }
      }
    }
  }

  /// A list of texts.
  package mutating func strings(_ name: String, _ values: some Sequence<String>) {
    key(name)
    enclose("[", "]") { list in
      for value in values {
        list.separate()
        list.quote(value)
      }
    }
  }

  private mutating func key(_ name: String) {
    separate()
    quote(name)
    bytes += ": ".utf8
  }

  /// Begins the next field or element on its own line.
  private mutating func separate() {
    if !isFirst { bytes += (isOneLine ? ", " : ",").utf8 }
    isFirst = false
    breakLine()
  }

  private mutating func enclose(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
  ) {
    bytes.append(UInt8(ascii: open))
    depth += 1
    isFirst = true
    body(&self)
    depth -= 1
    if !isFirst { breakLine() }
    isFirst = false
    bytes.append(UInt8(ascii: close))
  }

  private mutating func breakLine() {
    guard !isOneLine else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.allSatisfy(Self.isPlain) {
      bytes += text.utf8
    } else {
      escape(text)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// ASCII characters that need no escape anywhere.
  private static func isPlain(_ c: UInt8) -> Bool {
    (0x20..<0x7F).contains(c) && c != UInt8(ascii: "\"") && c != UInt8(ascii: "\\") && c != UInt8(ascii: "#")
  }

  private mutating func escape(_ text: String) {
    let scalars = Array(text.unicodeScalars)
    for (i, scalar) in scalars.enumerated() {
      switch scalar {
      case "\"": bytes += #"\""#.utf8
      case "\\": bytes += #"\\"#.utf8
      case "\n": bytes += #"\n"#.utf8
      case "\r": bytes += #"\r"#.utf8
      case "\t": bytes += #"\t"#.utf8
      case _ where CleanText.isHidden(scalar) || CleanText.endsCommandMark(scalars, at: i): escape(scalar)
      default: bytes += String(scalar).utf8
      }
    }
  }

  /// As `\uXXXX`, in two halves past the basic plane (RFC 8259, section 7).
  private mutating func escape(_ scalar: Unicode.Scalar) {
    for unit in String(scalar).utf16 {
      let digits = String(unit, radix: 16)
      bytes += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8
    }
  }
}
