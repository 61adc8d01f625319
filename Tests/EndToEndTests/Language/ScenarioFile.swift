/// A scenario, split into its sections; ``ScenarioStep`` interprets them.
struct ScenarioFile {
  struct Section {
    var line: Int
    /// The first word of the header.
    var kind: String
    /// The words after it.
    var arguments: [Word]
    var lines: [SourceLine]

    /// The text unchanged, each line with its end.
    var text: String { lines.map { $0.text + "\n" }.joined() }

    /// The lines that are neither empty nor comments.
    var statements: [SourceLine] {
      lines.filter { line in
        let trimmed = line.text.drop { $0 == " " }
        return !trimmed.isEmpty && !trimmed.hasPrefix("#")
      }
    }

    func problem(_ message: String) -> ScenarioProblem { ScenarioProblem(line: line, message: message) }
  }

  /// The scenario's purpose, from the comment at its head.
  var summary: String
  var sections: [Section]

  init(_ text: String) throws(ScenarioProblem) {
    summary = ""
    sections = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    for (index, text) in lines.enumerated() {
      let line = SourceLine(number: index + 1, text: text)
      if text.hasPrefix("-- "), text.hasSuffix(" --"), text.count > 6 {
        sections.append(try Self.section(line))
      } else if !sections.isEmpty {
        sections[sections.count - 1].lines.append(line)
      } else if text.hasPrefix("#") {
        summary += text.dropFirst().drop { $0 == " " } + " "
      } else if !text.isEmpty {
        throw line.problem("text before the first section must be a comment")
      }
    }
    if summary.isEmpty {
      throw ScenarioProblem(line: 1, message: "say in a comment at the head what it shows")
    }
  }

  private static func section(_ line: SourceLine) throws(ScenarioProblem) -> Section {
    let header = SourceLine(number: line.number, text: String(line.text.dropFirst(3).dropLast(3)))
    var words = try Word.split(header)
    let kind = words.removeFirst()
    return Section(line: line.number, kind: kind.text, arguments: words, lines: [])
  }
}
