/// Lines of columns that fit a terminal: names cut in the middle, the last column cut at its end.
///
/// If that would leave too little of a name, whole columns are left out first.
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
  /// The titles of columns that a narrow terminal can do without, the first to go first.
  private let expendable: [String]
  /// Row after row; a list of its own for each row would take more memory than the cells.
  private var cells: [String] = []
  private var paints: [Paint?] = []

  init(_ columns: [(title: String, fit: Fit)], expendable: [String] = []) {
    header = columns.map(\.title)
    fits = columns.map(\.fit)
    self.expendable = expendable
  }

  /// `cells` are cleaned, one for each column; `paint` colours the first of them.
  mutating func add(_ cells: [String], paint: Paint? = nil) {
    self.cells += cells
    paints.append(paint)
  }

  /// Leaves out columns that are empty in every row.
  func render(_ style: TextStyle) -> String {
    let natural = naturalWidths()
    let filled = header.indices.filter { column in paints.indices.contains { !cell($0, column).isEmpty } }
    let used = columns(of: filled, natural, within: style.tableColumns)
    let widths = widths(used, natural, within: style.tableColumns)
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
  /// What should be left of a long name, and of a long text at the end.
  private static let least = 24

  private func naturalWidths() -> [Int] {
    var widths = header.map(\.utf8.count)
    for row in paints.indices {
      for column in widths.indices { widths[column] = max(widths[column], TextWidth.of(cell(row, column))) }
    }
    return widths
  }

  /// `filled` without the expendable ones that leave too little for the others.
  private func columns(of filled: [Int], _ natural: [Int], within total: Int) -> [Int] {
    var used = filled
    for title in expendable {
      let needed = used.reduce(Self.gap * (used.count - 1)) { sum, column in
        let isFixed = fits[column] == .whole || fits[column] == .right
        return sum + (isFixed ? natural[column] : min(natural[column], Self.least))
      }
      if needed <= total { break }
      used.removeAll { header[$0] == title }
    }
    return used
  }

  /// Middle columns share what the whole ones and a fair piece of the rest leave: none is cut to less than the
  /// others have.
  private func widths(_ used: [Int], _ natural: [Int], within total: Int) -> [Int] {
    var widths = natural
    let fixed = used.filter { fits[$0] == .whole || fits[$0] == .right }.reduce(0) { $0 + widths[$1] }
    let free = max(0, total - fixed - Self.gap * max(0, used.count - 1))
    let rest = used.filter { fits[$0] == .rest }.reduce(0) { $0 + widths[$1] }
    let middles = used.filter { fits[$0] == .middle }.sorted { natural[$0] < natural[$1] }
    let wanted = middles.reduce(0) { $0 + natural[$1] }
    // Half of it, or what shows a good part of each name and leaves some of the rest.
    let fair = rest == 0 ? free : max(free / 2, min(Self.least * middles.count, free - Self.least / 2))
    var room = max(free - rest, min(wanted, fair))
    for (place, column) in middles.enumerated() {
      let share = max(5, room / (middles.count - place))
      widths[column] = min(natural[column], share)
      room = max(0, room - widths[column])
    }
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
