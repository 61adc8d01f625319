/// A text with references to variables in it, taken apart.
struct Template {
  indirect enum Segment {
    case literal(String)
    /// `${name}`.
    case variable(String, Range<Int>)
    /// `${env:NAME}`; `fallback` is what `:-` gives.
    case environment(String, fallback: [Segment]?, Range<Int>)
    /// `${secret:NAME}`.
    case secret(String, Range<Int>)
    /// `${secret:file:PATH}`.
    case secretFile(String, Range<Int>)
  }

  /// Why a text is not a template; `range` counts its bytes.
  struct Fault: Error {
    var range: Range<Int>
    var message: String
    var hint: String?
  }

  /// All faults of one text, in its order; never empty.
  struct Faults: Error {
    var all: [Fault]
    /// The text without them, to be checked for other problems.
    var rest: Template
  }

  /// Ranges in them count bytes of the text.
  let segments: [Segment]

  /// Whether `text` has nothing to expand.
  static func isPlain(_ text: String) -> Bool {
    // Without an end before the end, so that the processor compares many bytes at once.
    let holdsDollar = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe bytes.reduce(0 as UInt8) { $0 | ($1 == UInt8(ascii: "$") ? 1 : 0) } != 0
    }
    return !(holdsDollar ?? text.utf8.contains(UInt8(ascii: "$")))
  }

  init(_ text: String) throws(Faults) {
    var parser = TemplateParser(text)
    segments = parser.segments(depth: 0)
    guard parser.faults.isEmpty else { throw Faults(all: parser.faults, rest: self) }
  }

  /// The names of the variables in it, those in fallbacks included.
  var variableNames: [String] { Self.variableNames(segments) }

  private static func variableNames(_ segments: [Segment]) -> [String] {
    segments.flatMap { segment -> [String] in
      switch segment {
      case .variable(let name, _): [name]
      case .environment(_, let fallback?, _): variableNames(fallback)
      default: []
      }
    }
  }

  /// The form of the names of variables, for hints.
  static let nameHint = "a letter or _, then letters, digits, _, . and -"

  /// Whether `text` may name a variable or a matrix key: a letter or `_`, then letters, digits, `_`, `.`, `-`.
  static func isVariableName(_ text: String) -> Bool {
    guard let first = text.utf8.first, TemplateParser.isNameStart(first) else { return false }
    return text.utf8.allSatisfy(TemplateParser.isNamePart)
  }

  /// Whether `text` may name a variable of the environment: a letter or `_`, then letters, digits and `_`.
  static func isEnvironmentName(_ text: String) -> Bool {
    isVariableName(text) && text.utf8.allSatisfy(TemplateParser.isEnvironmentNamePart)
  }
}

/// One walk over a template's bytes.
private struct TemplateParser {
  /// The limit for nested fallbacks.
  static let maximumDepth = 16

  private let bytes: [UInt8]
  private var position = 0
  private(set) var faults: [Template.Fault] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  static func isNameStart(_ c: UInt8) -> Bool {
    (0x41...0x5A).contains(c) || (0x61...0x7A).contains(c) || c == UInt8(ascii: "_")
  }

  static func isNamePart(_ c: UInt8) -> Bool {
    isNameStart(c) || (0x30...0x39).contains(c) || c == UInt8(ascii: ".") || c == UInt8(ascii: "-")
  }

  static func isEnvironmentNamePart(_ c: UInt8) -> Bool {
    isNamePart(c) && c != UInt8(ascii: ".") && c != UInt8(ascii: "-")
  }

  /// Up to the end, or inside a fallback to its `}`, which is left standing.
  mutating func segments(depth: Int) -> [Template.Segment] {
    var segments: [Template.Segment] = []
    var literal: [UInt8] = []
    while position < bytes.count, depth == 0 || bytes[position] != UInt8(ascii: "}") {
      guard bytes[position] == UInt8(ascii: "$") else {
        literal.append(bytes[position])
        position += 1
        continue
      }
      let next = position + 1 < bytes.count ? bytes[position + 1] : 0
      if next == UInt8(ascii: "$") {
        literal.append(next)
        position += 2
      } else {
        if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
        literal = []
        do throws(Template.Fault) {
          guard next == UInt8(ascii: "{") else { throw loneDollar() }
          segments.append(try reference(depth: depth))
        } catch {
          goOn(behind: error)
        }
      }
    }
    if !literal.isEmpty { segments.append(.literal(String(decoding: literal, as: UTF8.self))) }
    return segments
  }

  /// Records the fault, and continues at the next part of the text.
  private mutating func goOn(behind fault: Template.Fault) {
    let isAtEnd = position == bytes.count
    // An unclosed part also leaves its surrounding part unclosed.
    if !(isAtEnd && faults.last?.range.upperBound == bytes.count) { faults.append(fault) }
    position = max(position, fault.range.upperBound)
    let rest = bytes[position...].prefix { $0 != UInt8(ascii: "$") }
    if bytes[fault.range].starts(with: "${".utf8), bytes[position - 1] != UInt8(ascii: "}"),
      let end = rest.firstIndex(of: UInt8(ascii: "}"))
    {
      position = end + 1
    }
  }

  private mutating func reference(depth: Int) throws(Template.Fault) -> Template.Segment {
    let start = position
    position += 2
    let word = takeName()
    guard position < bytes.count else { throw unclosed(from: start) }
    guard bytes[position] == UInt8(ascii: ":") else {
      try close(from: start)
      guard Template.isVariableName(word) else {
        throw fault(start, "\"${\(word)}\" is not a variable's name", hint: "write \"$$\" for a dollar sign")
      }
      return .variable(word, start..<position)
    }
    position += 1
    if word.hasPrefix(EntryScope.prefix) { return try prefixedField(word, from: start) }
    switch word {
    case "env": return try environment(from: start, depth: depth)
    case "secret" where bytes[position...].starts(with: "file:".utf8):
      position += "file:".utf8.count
      let first = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "}") { position += 1 }
      let path = String(decoding: bytes[first..<position], as: UTF8.self)
      try close(from: start)
      return .secretFile(path, start..<position)
    case "secret":
      let name = try environmentName(from: start)
      if bytes[position...].starts(with: [UInt8(ascii: ":"), UInt8(ascii: "-")]) {
        throw fault(
          start, "a secret has no default",
          hint: "write ${secret:\(name)}, or ${env:\(name):-…} for a value that is not a secret")
      }
      try close(from: start)
      return .secret(name, start..<position)
    default:
      throw fault(
        start, "unknown kind of variable \"\(word):\"", hint: "write ${name}, ${env:NAME} or ${secret:NAME}")
    }
  }

  /// A field of a list's entry that has a prefix, as elements of XML have.
  private mutating func prefixedField(_ prefix: String, from start: Int) throws(Template.Fault)
    -> Template.Segment
  {
    let local = takeName()
    try close(from: start)
    guard Template.isVariableName(local) else {
      throw fault(
        start, "\"${\(prefix):\(local)}\" is not a variable's name", hint: "write ${entry.PREFIX:NAME}")
    }
    return .variable(prefix + ":" + local, start..<position)
  }

  private mutating func environment(from start: Int, depth: Int) throws(Template.Fault) -> Template.Segment {
    let name = try environmentName(from: start)
    var fallback: [Template.Segment]?
    if bytes[position...].starts(with: [UInt8(ascii: ":"), UInt8(ascii: "-")]) {
      guard depth < Self.maximumDepth else { throw fault(start, "defaults are nested too deeply") }
      position += 2
      fallback = segments(depth: depth + 1)
    }
    try close(from: start)
    return .environment(name, fallback: fallback, start..<position)
  }

  private mutating func environmentName(from start: Int) throws(Template.Fault) -> String {
    let first = position
    while position < bytes.count, Self.isEnvironmentNamePart(bytes[position]) { position += 1 }
    guard position > first, Self.isNameStart(bytes[first]) else {
      throw fault(start, "no name of an environment variable", hint: "write ${env:NAME} or ${secret:NAME}")
    }
    let name = String(decoding: bytes[first..<position], as: UTF8.self)
    try requireEnd(of: name, from: start)
    return name
  }

  /// Whether what follows the name of an environment variable ends it. If a "}" is missing, this is for the caller.
  private func requireEnd(of name: String, from start: Int) throws(Template.Fault) {
    let rest = bytes[position...].prefix { $0 != UInt8(ascii: "$") }
    let hasColon = rest.first == UInt8(ascii: ":")
    guard rest.first != UInt8(ascii: "}"), !rest.starts(with: ":-".utf8),
      hasColon || rest.contains(UInt8(ascii: "}")),
      let character = String(decoding: rest, as: UTF8.self).unicodeScalars.first
    else { return }
    let isSecret = bytes[start...].starts(with: "${secret:".utf8)
    let hint =
      switch character {
      case ":" where !isSecret, "-" where !isSecret: "write ${env:\(name):-…} for a default"
      case " ": "write ${\(isSecret ? "secret" : "env"):NAME} without blanks"
      default: "such a name has letters, digits and _"
      }
    throw fault(
      start, "\(Quoting.quoted(String(character))) cannot be in the name of an environment variable",
      hint: hint)
  }

  private mutating func takeName() -> String {
    let start = position
    while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func close(from start: Int) throws(Template.Fault) {
    guard position < bytes.count else { throw unclosed(from: start) }
    guard bytes[position] == UInt8(ascii: "}") else {
      let shown = String(decoding: bytes[start...position], as: UTF8.self).unicodeScalars.filter {
        $0 != "\u{FFFD}"
      }
      let hasBlank = bytes[position] == UInt8(ascii: " ")
      throw fault(
        start,
        "the variable that begins with \(Quoting.quoted(String(String.UnicodeScalarView(shown)))) is not closed",
        hint: "write ${name}\(hasBlank ? " without blanks" : ""), or \"$$\" for a dollar sign")
    }
    position += 1
  }

  private func unclosed(from start: Int) -> Template.Fault {
    fault(start, "\"${\" is not closed", hint: "write ${name}, or \"$$\" for a dollar sign")
  }

  private func loneDollar() -> Template.Fault {
    Template.Fault(
      range: position..<(position + 1), message: "\"$\" begins a variable",
      hint: "write \"$$\" for a dollar sign, or ${name}")
  }

  private func fault(_ start: Int, _ message: String, hint: String? = nil) -> Template.Fault {
    Template.Fault(range: start..<max(position, start + 1), message: message, hint: hint)
  }
}
