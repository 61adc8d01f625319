/// Writes mdoc: a line for each macro, and text in which nothing is taken for one.
struct ManualWriter {
  private(set) var text = ""

  mutating func macro(_ line: String) { text += line + "\n" }

  mutating func section(_ name: String) { macro(".Sh \(name)") }

  mutating func paragraph() { macro(".Pp") }

  /// A text without examples; text between backticks is set as code.
  mutating func prose(_ words: String) {
    guard !words.isEmpty else { return }
    for sentence in Self.sentences(words) { macro(Self.guarded(Self.set(sentence))) }
  }

  /// Paragraphs; indented ones are examples and are set unchanged.
  mutating func blocks(_ words: String, onlyExamples: Bool = false) {
    var lines: [String] = []
    for line in words.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""] {
      let changesKind = lines.last.map { $0.hasPrefix(" ") != line.hasPrefix(" ") } ?? false
      if line.isEmpty || changesKind {
        block(lines, onlyExamples)
        lines = []
      }
      if !line.isEmpty { lines.append(line) }
    }
  }

  private mutating func block(_ lines: [String], _ onlyExamples: Bool) {
    guard let first = lines.first else { return }
    guard first.hasPrefix(" ") else {
      // A line such as "Examples:" is the heading of what follows.
      if !onlyExamples, !first.hasSuffix("amples:") {
        paragraph()
        prose(lines.joined(separator: " "))
      }
      return
    }
    guard !onlyExamples || first.hasPrefix("  syncmake") else { return }
    macro(".Bd -literal -offset indent")
    for line in lines { macro(Self.guarded(Self.escaped(String(line.drop { $0 == " " })))) }
    macro(".Ed")
  }

  /// An item of a tagged list.
  mutating func item(_ tag: String, _ words: String) {
    macro(".It \(tag)")
    prose(words)
  }

  /// One to a line, as typographers want it: the space after a full stop is theirs.
  private static func sentences(_ words: String) -> [String] {
    var sentences: [String] = []
    var current = ""
    for word in words.split(separator: " ") {
      current += (current.isEmpty ? "" : " ") + word
      if word.hasSuffix("."), word.count > 1 {
        sentences.append(current)
        current = ""
      }
    }
    return current.isEmpty ? sentences : sentences + [current]
  }

  /// With backticks as bold type.
  private static func set(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0.isMultiple(of: 2) ? escaped(String($1)) : "\\fB\(escaped(String($1)))\\fP" }.joined()
  }

  /// Dashes stay dashes, so that commands can be copied from the page.
  static func escaped(_ text: String) -> String {
    String(
      text.flatMap { character -> String in
        switch character {
        case "\\": "\\e"
        case "-": "\\-"
        case "'": "\\(aq"
        case "`": "\\(ga"
        case "^": "\\(ha"
        case "~": "\\(ti"
        default: String(character)
        }
      })
  }

  /// A line that begins with a dot would be a macro.
  private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}
