import ManifestParsing
import SyncModel

/// The part of TOML that lists of externals use: tables, keys, texts on one line, numbers, truth values, arrays and
/// inline tables. Everything else is refused (docs/decisions/0033-first-manifests-from-other-lists.md).
struct TOMLSubset {
  private static let deepest = 64

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var lineStart = 0
  private var depth = 0

  /// The root table; `text` has passed ``ForeignText``.
  static func read(_ text: ForeignText) throws(ForeignFault) -> DataNode {
    var reader = TOMLSubset(bytes: Array(text.lines.map(\.text).joined(separator: "\n").utf8))
    return try reader.document()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func document() throws(ForeignFault) -> DataNode {
    let root = DataNode(keys: [], .unknown)
    var table: [String] = []
    while true {
      skip(lines: true)
      guard let byte = peek else { return root }
      let start = here
      if byte == UInt8(ascii: "[") {
        position += 1
        if peek == UInt8(ascii: "[") { throw unread("an array of tables", at: start) }
        table = try key()
        try take(UInt8(ascii: "]"))
        try insert(DataNode(keys: [], start), at: table, in: root)
      } else {
        try pair(into: root, below: table)
      }
      try endLine()
    }
  }

  /// A key and its value.
  private mutating func pair(into node: DataNode, below table: [String]) throws(ForeignFault) {
    let path = table + (try key())
    try take(UInt8(ascii: "="))
    skip(lines: false)
    try insert(try value(), at: path, in: node)
  }

  /// A repeated table is the same one; another repeated key is an error.
  private func insert(_ new: DataNode, at path: [String], in root: DataNode) throws(ForeignFault) {
    var node = root
    for (index, name) in path.enumerated() {
      guard node.keys != nil else { throw twice(name, new) }
      let isLast = index + 1 == path.count
      if let there = node[name] {
        if isLast, there.keys == nil || new.keys?.isEmpty != true { throw twice(name, new) }
        node = there
      } else {
        let inner = isLast ? new : DataNode(keys: [], new.span)
        node.add(name, inner, line: new.span.line)
        node = inner
      }
    }
  }

  private func twice(_ name: String, _ node: DataNode) -> ForeignFault {
    ForeignFault("duplicate key \(Shown.quoted(name))", at: node.span)
  }

  // MARK: Keys and values

  private mutating func key() throws(ForeignFault) -> [String] {
    var parts: [String] = []
    repeat {
      skip(lines: false)
      let start = here
      if let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        parts.append(try string(quote))
      } else {
        let word = bare()
        guard !word.isEmpty, !word.utf8.contains(UInt8(ascii: "+")) else {
          throw ForeignFault("a key is missing here", at: start)
        }
        parts += word.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
          String(Substring($0))
        }
        // A dot before a quote.
        if parts.last == "" {
          parts.removeLast()
          position -= 1
        }
      }
      skip(lines: false)
    } while pass(UInt8(ascii: "."))
    guard parts.count <= Self.deepest else { throw ForeignFault("more than 64 levels of nesting", at: here) }
    return parts
  }

  private mutating func value() throws(ForeignFault) -> DataNode {
    let start = here
    switch peek {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let quote = bytes[position]
      if bytes[position...].starts(with: [quote, quote, quote]) {
        throw unread("a text of several lines", at: start)
      }
      return DataNode(text: try string(quote), start)
    case UInt8(ascii: "["): return DataNode(items: try list(), start)
    case UInt8(ascii: "{"): return try inlineTable(start)
    default:
      let word = bare()
      guard !word.isEmpty else { throw ForeignFault("a value is missing here", at: start) }
      let isDigit = word.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
      guard isDigit || word == "true" || word == "false" else {
        throw unread(Shown.quoted(word), at: start)
      }
      return DataNode(text: word.with("", for: "_"), start)
    }
  }

  private mutating func list() throws(ForeignFault) -> [DataNode] {
    var items: [DataNode] = []
    try enter()
    while true {
      skip(lines: true)
      if pass(UInt8(ascii: "]")) { break }
      items.append(try value())
      skip(lines: true)
      if !pass(UInt8(ascii: ",")), peek != UInt8(ascii: "]") { throw expected("]") }
    }
    depth -= 1
    return items
  }

  private mutating func inlineTable(_ start: SourceSpan) throws(ForeignFault) -> DataNode {
    let table = DataNode(keys: [], start)
    try enter()
    skip(lines: false)
    while !pass(UInt8(ascii: "}")) {
      try pair(into: table, below: [])
      skip(lines: false)
      if !pass(UInt8(ascii: ",")), peek != UInt8(ascii: "}") { throw expected("}") }
      skip(lines: false)
    }
    depth -= 1
    return table
  }

  private mutating func enter() throws(ForeignFault) {
    position += 1
    depth += 1
    guard depth <= Self.deepest else { throw ForeignFault("more than 64 levels of nesting", at: here) }
  }

  /// A text in quotes, on one line; escapes only between double ones.
  private mutating func string(_ quote: UInt8) throws(ForeignFault) -> String {
    let start = here
    position += 1
    var text: [UInt8] = []
    while let byte = peek, byte != 0x0A {
      position += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        text += try escaped()
      } else {
        text.append(byte)
      }
    }
    throw ForeignFault("the quote is not closed", at: start, hint: "close the quote")
  }

  private mutating func escaped() throws(ForeignFault) -> [UInt8] {
    let start = here
    guard let byte = peek else { throw unread("this escape", at: start) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let digits = bytes[position...].prefix(byte == UInt8(ascii: "u") ? 4 : 8)
      if let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(value)
      {
        position += digits.count
        return Array(String(Character(scalar)).utf8)
      }
    default: break
    }
    throw unread("this escape", at: start)
  }

  // MARK: Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var here: SourceSpan {
    let before = String(decoding: bytes[lineStart..<min(position, bytes.count)], as: UTF8.self)
    let column = before.unicodeScalars.count + 1
    return SourceSpan(line: line, column: column, endColumn: column + 1)
  }

  /// Letters, digits, `_`, `-`, `+` and dots.
  private mutating func bare() -> String {
    let word = bytes[position...].prefix {
      TargetName.isPart($0) && $0 != UInt8(ascii: "/") || $0 == UInt8(ascii: ":")
    }
    position += word.count
    return String(decoding: word, as: UTF8.self)
  }

  /// Passes blanks and, with `lines`, comments and the ends of lines.
  private mutating func skip(lines: Bool) {
    while let byte = peek {
      if byte == UInt8(ascii: "#"), lines {
        position += bytes[position...].prefix { $0 != 0x0A }.count
      } else if byte == 0x0A, lines {
        position += 1
        line += 1
        lineStart = position
      } else if byte == 0x20 || byte == 0x09 {
        position += 1
      } else {
        return
      }
    }
  }

  private mutating func pass(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func take(_ byte: UInt8) throws(ForeignFault) {
    skip(lines: false)
    guard pass(byte) else { throw expected(String(decoding: [byte], as: UTF8.self)) }
  }

  private mutating func endLine() throws(ForeignFault) {
    skip(lines: false)
    guard let byte = peek, byte != 0x0A, byte != UInt8(ascii: "#") else { return }
    throw ForeignFault("the line should end here", at: here)
  }

  private func expected(_ sign: String) -> ForeignFault {
    ForeignFault("\"\(sign)\" is missing here", at: here)
  }

  private func unread(_ what: String, at span: SourceSpan) -> ForeignFault {
    ForeignFault(
      "\(what) is TOML that --from does not read", at: span,
      hint: "write the file as YAML or JSON: `chezmoi` reads these too")
  }
}
