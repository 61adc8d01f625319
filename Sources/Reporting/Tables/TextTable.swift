/// Lines of columns that fit a terminal: names cut in the middle, the last column cut at its end.
struct TextTable {
  enum Fit {
    /// Never cut.
    case whole
    /// Never cut, filled from the left.
    case right
    /// Cut in the middle if the line is too long.
    case middle
    /// The last column: whatever is left of the line.
    case rest
  }

  private let header: [String]
  private let fits: [Fit]
  private var rows: [[String]] = []
  private var paints: [Paint?] = []

  init(_ columns: [(title: String, fit: Fit)]) {
    header = columns.map(\.title)
    fits = columns.map(\.fit)
  }

  /// `cells` are cleaned; `paint` colours the first of them.
  mutating func add(_ cells: [String], paint: Paint? = nil) {
    rows.append(cells)
    paints.append(paint)
  }

  /// Leaves out columns that are empty in every row.
  func render(_ style: TextStyle) -> String {
    let used = header.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    let widths = widths(used, within: style.tableColumns)
    var text = style.paint(line(header, used, widths), .faint) + "\n"
    for (row, paint) in zip(rows, paints) { text += line(row, used, widths, style, paint) + "\n" }
    return text
  }

  private static let gap = "  "

  /// Middle columns share equally what the whole ones and a fair piece of the rest leave.
  private func widths(_ used: [Int], within total: Int) -> [Int] {
    var widths = header.map(\.utf8.count)
    for row in rows {
      for column in used { widths[column] = max(widths[column], TextWidth.of(row[column])) }
    }
    let fixed = used.filter { fits[$0] == .whole || fits[$0] == .right }.reduce(0) { $0 + widths[$1] }
    let free = max(0, total - fixed - Self.gap.utf8.count * max(0, used.count - 1))
    let rest = used.filter { fits[$0] == .rest }.reduce(0) { $0 + widths[$1] }
    let middles = used.filter { fits[$0] == .middle }
    let share = max(free - rest, rest == 0 ? free : free / 2) / max(1, middles.count)
    for column in middles { widths[column] = min(widths[column], max(5, share)) }
    let left = free - middles.reduce(0) { $0 + widths[$1] }
    for column in used where fits[column] == .rest { widths[column] = max(4, left) }
    return widths
  }

  private func line(
    _ cells: [String], _ used: [Int], _ widths: [Int], _ style: TextStyle = TextStyle(), _ paint: Paint? = nil
  ) -> String {
    var line = ""
    var pending = ""
    for column in used {
      let text = fit(cells[column], fits[column], widths[column])
      let painted = column == used.first ? paint.map { style.paint(text, $0) } ?? text : text
      if !text.isEmpty {
        let indent = fits[column] == .right ? widths[column] - TextWidth.of(text) : 0
        line += pending + String(repeating: " ", count: max(0, indent)) + painted
        pending = ""
      }
      let width =
        text.isEmpty ? widths[column] : fits[column] == .right ? 0 : widths[column] - TextWidth.of(text)
      pending += String(repeating: " ", count: max(0, width)) + Self.gap
    }
    return line
  }

  private func fit(_ text: String, _ fit: Fit, _ width: Int) -> String {
    switch fit {
    case .whole, .right: text
    case .middle: TextWidth.cutMiddle(text, to: width)
    case .rest: TextWidth.cutEnd(text, to: width)
    }
  }
}
