import SyncModel

extension DiagnosticLog {
  /// Turns libyaml's message into helpful words.
  mutating func add(_ syntaxError: YAMLSyntaxError, in source: SourceText) {
    var source = source
    switch syntaxError.kind {
    case .memory: error("not enough memory to read it", at: nil)
    case .notUTF8(let offset): addNotUTF8(offset: offset, &source)
    case .controlCharacter(let value, let offset):
      error("control character \(Quoting.codePoint(value))", at: source.span(ofByte: offset))
    case .grammar(let problem, let context, let mark, let contextMark):
      addGrammar(problem, context, mark, contextMark, &source)
    }
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
    let isAtEnd = line.isEmpty && source.line(mark.line + 2) == nil
    let place = beginsBetter || isAtEnd ? contextMark ?? mark : mark
    let message = context.map { "\(problem) \($0)" } ?? problem
    error(
      message, at: SourceSpan(place, place),
      hint: hint(problem: problem, context: context ?? "", line: line, column: mark.column))
  }

  private func hint(problem: String, context: String, line: String, column: Int) -> String? {
    let scalar = line.unicodeScalars.dropFirst(column).first
    if problem.holds("cannot start any token") {
      if scalar == "\t" { return "indent with spaces, not tabs" }
      return "quote the value"
    }
    if context.holds("flow"), line.holds("${") {
      return "between { } and [ ], quote a value that contains ${…}"
    }
    if context.holds("scanning an alias") || context.holds("scanning an anchor") {
      return "quote a value that begins with * or &"
    }
    if context == "while scanning a simple key" { return "a key ends with a colon" }
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
