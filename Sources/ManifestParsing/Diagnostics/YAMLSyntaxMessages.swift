import SyncModel

extension DiagnosticLog {
  /// Turns libyaml's message into helpful words; `last` is the text on several lines before it, `nil` if there is none, and
  /// `open` are the collections around it.
  mutating func add(
    _ syntaxError: YAMLSyntaxError, in source: SourceText, after last: (start: YAMLMark, end: YAMLMark)?,
    inside open: [YAMLNode]
  ) {
    var source = source
    switch syntaxError.kind {
    case .memory: error("not enough memory to read it", at: nil)
    case .notUTF8(let offset): addNotUTF8(offset: offset, &source)
    case .controlCharacter(let value, let offset):
      error("control character \(Quoting.codePoint(value))", at: source.span(ofByte: offset))
    case .grammar(_, _, let mark, _) where last.map { isOpen($0, mark, &source) } ?? false:
      error(
        "the quote that begins here ends only on line \(mark.line + 1)",
        at: last.map { SourceSpan($0.start, $0.start) }, hint: "close the quote")
    case .grammar(let problem, let context, let mark, let contextMark):
      // Behind a comma, a bracket or a colon libyaml misses a value at the end of the file, and does not say what is open.
      // A pair in a list is a mapping without a bracket, and its beginning has no width.
      guard context == "while parsing a flow node", isEnd(mark, &source),
        let bracket = open.last(where: { $0.isFlow && $0.start != $0.end })
      else { return addGrammar(problem, context, mark, contextMark, &source) }
      let (close, kind) = bracket.kind == .sequence ? ("]", "sequence") : ("}", "mapping")
      addGrammar(
        "did not find expected ',' or '\(close)'", "while parsing a flow \(kind)", mark, bracket.start,
        &source)
    }
  }

  /// Whether the text is in quotes, has lines that look like keys in it, and something behind it that cannot follow: then
  /// the quote was to end earlier.
  private func isOpen(
    _ text: (start: YAMLMark, end: YAMLMark), _ mark: YAMLMark, _ source: inout SourceText
  ) -> Bool {
    guard text.end.line == mark.line, text.start.line < mark.line else { return false }
    let first = source.line(text.start.line + 1)?.unicodeScalars.dropFirst(text.start.column).first
    guard first == "\"" || first == "'" else { return false }
    return (text.start.line + 1...mark.line).contains { number in
      source.line(number + 1).map(Self.beginsKey) ?? false
    }
  }

  /// Whether the line looks like `key: value`, or an item of a list.
  private static func beginsKey(_ line: String) -> Bool {
    let rest = line.utf8.drop { $0 == UInt8(ascii: " ") }
    if rest.starts(with: "- ".utf8) { return true }
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon > rest.startIndex else { return false }
    let after = rest[rest.index(after: colon)...].first
    return (after == nil || after == UInt8(ascii: " "))
      && !rest[..<colon].contains { " \"',{}[]".utf8.contains($0) }
  }

  private mutating func addNotUTF8(offset: Int, _ source: inout SourceText) {
    let start = unsafe source.bytes.prefix(2)
    let isUTF16 = unsafe start.elementsEqual([0xFF, 0xFE]) || start.elementsEqual([0xFE, 0xFF])
    error(
      isUTF16 ? "this is UTF-16, not UTF-8" : "not valid UTF-8", at: source.span(ofByte: offset),
      hint: "save it as UTF-8")
  }

  private mutating func addGrammar(
    _ problem: String, _ context: String?, _ mark: YAMLMark, _ contextMark: YAMLMark?,
    _ source: inout SourceText
  ) {
    // If the end of the file or of the line came too soon, the beginning is more helpful.
    let beginsBetter = problem.hasSuffix("end of stream") || context == "while scanning a simple key"
    let line = source.line(mark.line + 1) ?? ""
    let place = beginsBetter || isEnd(mark, &source) ? contextMark ?? mark : mark
    let message = context.map { "\(problem) \($0)" } ?? problem
    error(
      message, at: SourceSpan(place, place),
      hint: flowHint(context ?? "", line, mark, contextMark)
        ?? blankHint(problem, context ?? "", mark, contextMark, &source)
        ?? hint(problem: problem, context: context ?? "", line: line, column: mark.column)
        ?? columnHint(problem, context ?? "", line, mark, contextMark))
  }

  /// Whether the place is behind the last line.
  private func isEnd(_ mark: YAMLMark, _ source: inout SourceText) -> Bool {
    source.range(ofLine: mark.line + 1)?.isEmpty ?? true && source.range(ofLine: mark.line + 2) == nil
  }

  /// For what goes wrong between braces or brackets.
  private func flowHint(_ context: String, _ line: String, _ mark: YAMLMark, _ start: YAMLMark?) -> String? {
    guard context.holds("parsing a flow mapping") || context.holds("parsing a flow sequence"), let start
    else {
      return nil
    }
    let from = start.line == mark.line ? start.column : 0
    let before = line.unicodeScalars.prefix(mark.column + 2).dropFirst(from)
    if Self.hasUnquotedReference(before) {
      return "between { } and [ ], quote a value that contains ${…}"
    }
    let (open, close) = context.holds("sequence") ? ("[", "]") : ("{", "}")
    return "write a \(close) that closes the \(open) of line \(start.line + 1), or a comma between two values"
  }

  private static func saysNothing(_ line: String) -> Bool {
    let first = line.utf8.first { $0 != UInt8(ascii: " ") }
    return first == nil || first == UInt8(ascii: "#")
  }

  private static func hasUnquotedReference(_ text: some Sequence<Unicode.Scalar>) -> Bool {
    var quote: Unicode.Scalar?
    var last: Unicode.Scalar = " "
    for scalar in text {
      if quote == nil, last == "$", scalar == "{" { return true }
      if quote == scalar {
        quote = nil
      } else if quote == nil, "\"'".unicodeScalars.contains(scalar), " {[,:".unicodeScalars.contains(last) {
        // Within a word it is an apostrophe.
        quote = scalar
      }
      last = scalar
    }
    return false
  }

  /// For `key:value`, which is one word: what follows is what the parser takes for wrong.
  private func blankHint(
    _ problem: String, _ context: String, _ mark: YAMLMark, _ start: YAMLMark?, _ source: inout SourceText
  ) -> String? {
    var number: Int
    if problem.hasPrefix("mapping values are not allowed") || problem.holds("expected key") {
      number = mark.line
      // The line before, apart from comments and blanks.
      while number > 1, let line = source.line(number), Self.saysNothing(line) { number -= 1 }
    } else if context == "while scanning a simple key", let start {
      number = start.line + 1
    } else {
      return nil
    }
    guard number > 0, let line = source.line(number), KeyWithoutBlank.begins(line) else { return nil }
    return KeyWithoutBlank.hint(line: number)
  }

  /// For a line that begins in another column than the mapping.
  private func columnHint(
    _ problem: String, _ context: String, _ line: String, _ mark: YAMLMark, _ start: YAMLMark?
  ) -> String? {
    guard problem.holds("expected key"), context.holds("block mapping"), let start,
      start.column != mark.column,
      line.unicodeScalars.prefix(mark.column).allSatisfy({ $0 == " " })
    else { return nil }
    return "the keys of a mapping begin in the same column"
  }

  private func hint(problem: String, context: String, line: String, column: Int) -> String? {
    let scalar = line.unicodeScalars.dropFirst(column).first
    if problem.holds("cannot start any token") {
      if scalar == "\t" { return "indent with spaces, not tabs" }
      return "quote the value"
    }
    if context.holds("scanning an alias") || context.holds("scanning an anchor") {
      return "quote a value that begins with * or &"
    }
    if context == "while scanning a simple key" { return "a key ends with a colon and a blank" }
    if problem.holds("Unicode character escape") { return "write the character itself" }
    if problem.holds("escape character") || problem.holds("hexdecimal") {
      return "write \\\\ for a backslash, or the text in single quotes"
    }
    if context.holds("quoted scalar") { return "close the quote" }
    if problem.hasPrefix("mapping values are not allowed") {
      return "quote a value that contains \": \", and align the keys of a mapping"
    }
    return nil
  }
}
