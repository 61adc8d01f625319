/// A word of a scenario's line: `bare`, `"with\nescapes"`, `'unchanged'`, or `key=value`.
struct Word: Equatable {
  /// Before a `=` outside quotes; `nil` if there is none.
  var key: String?
  /// The word, or the text after the `=`, with quotes and escapes resolved.
  var text: String
  /// Whether any part of it was in quotes.
  var isQuoted: Bool

  static func split(_ line: SourceLine) throws(ScenarioProblem) -> [Word] {
    var reader = WordReader(line: line)
    var words: [Word] = []
    while let word = try reader.next() { words.append(word) }
    return words
  }
}

private struct WordReader {
  let line: SourceLine
  private var rest: Substring

  init(line: SourceLine) {
    self.line = line
    rest = line.text[...]
  }

  mutating func next() throws(ScenarioProblem) -> Word? {
    rest = rest.drop { $0 == " " || $0 == "\t" }
    guard !rest.isEmpty else { return nil }
    var word = Word(key: nil, text: "", isQuoted: false)
    while let character = rest.first, character != " ", character != "\t" {
      rest.removeFirst()
      switch character {
      case "\"":
        word.isQuoted = true
        word.text += try escaped()
      case "'":
        word.isQuoted = true
        word.text += try literal()
      case "=" where word.key == nil && !word.isQuoted && word.text.isKey:
        word.key = word.text
        word.text = ""
      default: word.text.append(character)
      }
    }
    return word
  }

  private mutating func literal() throws(ScenarioProblem) -> String {
    guard let end = rest.firstIndex(of: "'") else { throw line.problem("a ' has no partner") }
    defer { rest = rest[rest.index(after: end)...] }
    return String(rest[..<end])
  }

  private mutating func escaped() throws(ScenarioProblem) -> String {
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return text }
      text.unicodeScalars += character == "\\" ? [try escape()] : Array(character.unicodeScalars)
    }
    throw line.problem("a \" has no partner")
  }

  private mutating func escape() throws(ScenarioProblem) -> Unicode.Scalar {
    switch rest.popFirst() {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "0": return "\0"
    case "\\": return "\\"
    case "\"": return "\""
    case "x":
      let digits = rest.prefix(2)
      rest = rest.dropFirst(2)
      guard let value = UInt8(digits, radix: 16) else { throw line.problem("\\x wants two hex digits") }
      return Unicode.Scalar(value)
    default: throw line.problem("unknown escape in a \"word\"")
    }
  }
}

extension String {
  /// Whether it may precede a `=` in a scenario: lower case and dashes, or an environment name.
  fileprivate var isKey: Bool {
    !isEmpty && allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
      && first?.isNumber == false
  }
}

/// The words of one line, read from the left; an unused word is an error.
struct WordList {
  let line: SourceLine
  private var words: [Word]

  init(_ line: SourceLine) throws(ScenarioProblem) {
    self.line = line
    words = try Word.split(line)
  }

  init(_ words: [Word], line: Int) {
    self.line = SourceLine(number: line, text: "")
    self.words = words
  }

  var isEmpty: Bool { words.isEmpty }

  func problem(_ message: String) -> ScenarioProblem { line.problem(message) }

  /// The next word, whatever it is.
  mutating func take(_ what: String) throws(ScenarioProblem) -> String {
    guard let word = words.first else { throw problem("\(what) is missing") }
    words.removeFirst()
    return word.key.map { "\($0)=\(word.text)" } ?? word.text
  }

  mutating func takeNumber(_ what: String) throws(ScenarioProblem) -> Int {
    let text = try take(what)
    guard let number = Int(text) else { throw problem("\(what) must be a number, not \(text)") }
    return number
  }

  /// Whether the next word is this one; takes it if so.
  mutating func takeIf(_ text: String) -> Bool {
    guard let first = words.first, first.key == nil, !first.isQuoted, first.text == text else { return false }
    words.removeFirst()
    return true
  }

  /// Every value of `key=`, at any position.
  mutating func values(_ key: String) -> [String] {
    let found = words.filter { $0.key == key }.map(\.text)
    words.removeAll { $0.key == key }
    return found
  }

  /// The only value of `key=`; `nil` if there is none.
  mutating func value(_ key: String) throws(ScenarioProblem) -> String? {
    let found = values(key)
    guard found.count <= 1 else { throw problem("\(key)= is given twice") }
    return found.first
  }

  mutating func number(_ key: String) throws(ScenarioProblem) -> Int? {
    guard let text = try value(key) else { return nil }
    guard let number = Int(text) else { throw problem("\(key)= must be a number, not \(text)") }
    return number
  }

  /// Whether this bare word occurs; uses it if so.
  mutating func flag(_ name: String) -> Bool {
    let count = words.count
    words.removeAll { $0.key == nil && !$0.isQuoted && $0.text == name }
    return words.count < count
  }

  /// All remaining words.
  mutating func rest() -> [Word] {
    defer { words = [] }
    return words
  }

  /// Reports unused words.
  func end() throws(ScenarioProblem) {
    guard let word = words.first else { return }
    throw problem("what is \(word.key.map { "\($0)=" } ?? "")\(word.text)?")
  }
}
