package import SyncModel

/// Shows problems in a manifest as `FILE:LINE:COLUMN: error: …` with the source line and a caret.
package enum DiagnosticText {
  /// All of `diagnostics` in the given order; every line has a line end, and none is longer than necessary.
  package static func render(_ diagnostics: [Diagnostic], style: TextStyle) -> String {
    var last: CleanLine?
    return diagnostics.reduce(into: "") { $0 += render($1, style, &last) }
  }

  /// `last` is the line of the problem before: a long line may have thousands of them.
  private static func render(_ diagnostic: Diagnostic, _ style: TextStyle, _ last: inout CleanLine?) -> String
  {
    let place = CleanText.clean(
      diagnostic.file + (diagnostic.span.map { ":\($0.line):\($0.column)" } ?? "") + ":")
    let word = style.paint(
      "\(diagnostic.severity.rawValue):", diagnostic.severity == .error ? .boldRed : .boldYellow)
    var text = place + " \(word) \(CleanText.clean(diagnostic.message))\n"
    if let span = diagnostic.span, let line = diagnostic.sourceLine {
      let cut = last.flatMap { $0.text == line ? $0 : nil } ?? CleanLine(line)
      last = cut
      text += SourceExcerpt(line: cut, span: span, columns: style.columns).render(style)
    }
    if let hint = diagnostic.hint { text += style.paint("hint:", .cyan) + " \(CleanText.clean(hint))\n" }
    return text
  }
}

/// A source line as it can be shown.
private struct CleanLine {
  let text: String
  let cells: [CleanText.Cell]
  /// The column at which each cell starts, and at last that behind the line.
  private let columns: [Int]

  init(_ text: String) {
    self.text = text
    cells = CleanText.cells(text, tabStop: 8)
    var columns = [0]
    for cell in cells { columns.append(columns[columns.count - 1] + cell.width) }
    self.columns = columns
  }

  /// How many columns these cells take.
  func width(_ range: Range<Int>) -> Int { columns[range.upperBound] - columns[range.lowerBound] }
}

/// A source line and the marks under it, cut to what a terminal shows.
///
/// The number in front also keeps a line of the manifest from being taken for a CI command.
private struct SourceExcerpt {
  private let gutter: String
  private let line: CleanLine
  /// The cells that the caret marks; may be after the last cell.
  private let marked: Range<Int>
  /// The cells that are shown.
  private let shown: Range<Int>

  init(line: CleanLine, span: SourceSpan, columns: Int) {
    gutter = "  \(span.line) | "
    self.line = line
    let count = line.cells.count
    let start = min(max(0, span.column - 1), count)
    marked = start..<max(start, min(span.endColumn - 1, count))
    shown = Self.window(line, around: start, width: max(20, columns - gutter.utf8.count))
  }

  func render(_ style: TextStyle) -> String {
    let lead = shown.lowerBound > 0 ? TextWidth.ellipsis : ""
    let tail = shown.upperBound < line.cells.count ? TextWidth.ellipsis : ""
    let text = lead + line.cells[shown].reduce(into: "") { $0 += $1.text } + tail
    let indent = lead.utf8.count + line.width(shown.lowerBound..<marked.lowerBound)
    let length = max(1, line.width(marked.clamped(to: shown)))
    let caret = "^" + String(repeating: "~", count: length - 1)
    let blank = String(repeating: " ", count: gutter.utf8.count - 2) + "| "
    return style.paint(gutter, .faint) + text + "\n"
      + style.paint(blank, .faint) + String(repeating: " ", count: indent) + style.paint(caret, .boldRed)
      + "\n"
  }

  /// The cells around `start` that fit into `width` columns, together with the marks of omissions.
  private static func window(_ line: CleanLine, around start: Int, width room: Int) -> Range<Int> {
    let cells = line.cells
    // After the line's end the caret needs its own column.
    let width = start == cells.count ? room - 1 : room
    guard line.width(cells.indices) > width else { return cells.indices }
    let mark = TextWidth.ellipsis.utf8.count
    var used = 0
    var first = start
    while first > 0, used + cells[first - 1].width <= width / 2 - mark {
      first -= 1
      used += cells[first].width
    }
    if line.width(0..<first) <= mark { first = 0 }
    used = first > 0 ? mark : 0
    var last = first
    while last < cells.count, used + cells[last].width + (last + 1 < cells.count ? mark : 0) <= width {
      used += cells[last].width
      last += 1
    }
    while last == cells.count, first > 1, used + cells[first - 1].width <= width {
      first -= 1
      used += cells[first].width
    }
    return first..<last
  }
}
