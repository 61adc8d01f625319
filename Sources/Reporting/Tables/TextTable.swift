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
  /// Row after row; a list of its own for each row would take more memory than the cells.
  private var cells: [String] = []
  private var paints: [Paint?] = []

  init(_ columns: [(title: String, fit: Fit)]) {
    header = columns.map(\.title)
    fits = columns.map(\.fit)
  }

  /// `cells` are cleaned, one for each column; `paint` colours the first of them.
  mutating func add(_ cells: [String], paint: Paint? = nil) {
    self.cells += cells
    paints.append(paint)
  }

  /// Leaves out columns that are empty in every row.
  func render(_ style: TextStyle) -> String {
    let used = header.indices.filter { column in paints.indices.contains { !cell($0, column).isEmpty } }
    let widths = widths(used, within: style.tableColumns)
    var bytes: [UInt8] = []
    bytes += (style.paint(headerLine(used, widths), .faint) + "\n").utf8
    for row in paints.indices {
      append(used, widths, style, paints[row], to: &bytes) { cell(row, $0) }
      bytes.append(UInt8(ascii: "\n"))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func cell(_ row: Int, _ column: Int) -> String { cells[row * header.count + column] }

  private static let gap = 2

  /// Middle columns share equally what the whole ones and a fair piece of the rest leave.
  private func widths(_ used: [Int], within total: Int) -> [Int] {
    var widths = header.map(\.utf8.count)
    for row in paints.indices {
      for column in used { widths[column] = max(widths[column], TextWidth.of(cell(row, column))) }
    }
    let fixed = used.filter { fits[$0] == .whole || fits[$0] == .right }.reduce(0) { $0 + widths[$1] }
    let free = max(0, total - fixed - Self.gap * max(0, used.count - 1))
    let rest = used.filter { fits[$0] == .rest }.reduce(0) { $0 + widths[$1] }
    let middles = used.filter { fits[$0] == .middle }
    let share = max(free - rest, rest == 0 ? free : free / 2) / max(1, middles.count)
    for column in middles { widths[column] = min(widths[column], max(5, share)) }
    let left = free - middles.reduce(0) { $0 + widths[$1] }
    for column in used where fits[column] == .rest { widths[column] = max(4, left) }
    return widths
  }

  private func headerLine(_ used: [Int], _ widths: [Int]) -> String {
    var bytes: [UInt8] = []
    append(used, widths, TextStyle(), nil, to: &bytes) { header[$0] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Adds one line without its end. Spaces are added as bytes: as text they took most of a long table's time.
  private func append(
    _ used: [Int], _ widths: [Int], _ style: TextStyle, _ paint: Paint?, to bytes: inout [UInt8],
    _ cell: (Int) -> String
  ) {
    var pending = 0
    func addSpaces(_ count: Int) { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count)) }
    for column in used {
      let text = fit(cell(column), fits[column], widths[column])
      let fill = max(0, widths[column] - TextWidth.of(text))
      if !text.isEmpty {
        addSpaces(pending + (fits[column] == .right ? fill : 0))
        bytes += (column == used.first ? paint.map { style.paint(text, $0) } ?? text : text).utf8
        pending = 0
      }
      pending += (text.isEmpty || fits[column] != .right ? fill : 0) + Self.gap
    }
  }

  private func fit(_ text: String, _ fit: Fit, _ width: Int) -> String {
    switch fit {
    case .whole, .right: text
    case .middle: TextWidth.cutMiddle(text, to: width)
    case .rest: TextWidth.cutEnd(text, to: width)
    }
  }
}
