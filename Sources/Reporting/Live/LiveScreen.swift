/// The lines at the bottom of a terminal that are drawn over and over, and the bytes that do it.
///
/// The cursor rests at the end of the last line. Nothing but plain cursor movement is used, nothing is hidden or
/// saved, and so there is nothing to put right after a kill.
package struct LiveScreen {
  private var drawn: [String] = []

  /// Nothing is drawn yet.
  package init() {}

  /// Whether nothing is drawn.
  package var isEmpty: Bool { drawn.isEmpty }

  /// Draws `lines` over the present ones; nothing if they are the same.
  ///
  /// - columns: the terminal's width now; if it has become narrower, the old lines have wrapped.
  package mutating func draw(_ lines: [String], columns: Int) -> String {
    guard lines != drawn else { return "" }
    let bytes = start(columns) + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J"
    drawn = lines
    return bytes
  }

  /// Removes the lines and leaves the cursor where they began.
  package mutating func erase(columns: Int) -> String {
    guard !drawn.isEmpty else { return "" }
    // To clear from the top row on is to clear the screen, for which some terminals keep what was there in their history.
    let below = rows(columns) > 1 ? "\n\u{1B}[J\u{1B}[A" : ""
    let bytes = start(columns) + "\u{1B}[K" + below
    drawn = []
    return bytes
  }

  /// To the beginning of the first line.
  private func start(_ columns: Int) -> String {
    let rows = rows(columns)
    return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "")
  }

  private func rows(_ columns: Int) -> Int {
    drawn.reduce(0) { sum, line in
      sum + max(1, (Self.width(line) + columns - 1) / max(1, columns))
    }
  }

  /// The columns of a line, its colours aside.
  private static func width(_ line: String) -> Int {
    var isEscape = false
    return line.unicodeScalars.reduce(0) { sum, scalar in
      if scalar == "\u{1B}" { isEscape = true }
      if isEscape {
        if scalar == "m" { isEscape = false }
        return sum
      }
      return sum + TextWidth.of(scalar)
    }
  }
}
