import SyncModel

/// The columns of the lines of finished targets: word, name, output, size and detail.
///
/// A line is printed when its target finishes. So the widths come from the run's targets before the first line,
/// never from later lines.
struct ResultColumns {
  /// Longer names and outputs stick out of their column in a pipe; on a terminal they are cut to it.
  private static let widestName = 40
  private static let widestOutput = 48
  private static let wordWidth = ResultWord.allCases.reduce(0) { max($0, $1.rawValue.utf8.count) }
  /// That of `999.9 MB`.
  private static let sizeWidth = 8
  private static let gap = "  "
  /// With less room the detail is left out.
  private static let leastDetail = 10

  private let nameWidth: Int
  private let outputWidth: Int
  /// The terminal's columns; `nil` in a pipe or a file, whose lines are never cut.
  private let lineWidth: Int?

  /// For the lines of `selection`; `nil` means all targets of the manifest.
  init(_ manifest: Manifest, _ selection: [TargetID]?, style: TextStyle) {
    var (name, output) = (0, 0)
    let secrets = manifest.secrets
    let lineWidth = style.width == nil ? nil : style.columns
    func widen(_ width: inout Int, to own: Int, atMost widest: Int) {
      if own <= widest { width = max(width, own) } else if lineWidth != nil { width = widest }
    }
    for id in selection ?? manifest.targets.map(\.id) {
      let target = manifest[id]
      widen(&name, to: TextWidth.of(secrets.shown(target.name)), atMost: Self.widestName)
      widen(&output, to: TextWidth.of(secrets.shown(target.output)), atMost: Self.widestOutput)
    }
    self.lineWidth = lineWidth
    if let lineWidth {
      let free = lineWidth - Self.wordWidth - Self.sizeWidth - 3 * Self.gap.utf8.count
      name = min(name, max(free / 2, free - output))
      output = min(output, max(5, free - name))
    }
    (nameWidth, outputWidth) = (name, output)
  }

  /// One line with its end; `name`, `output` and `detail` are cleaned, `size` and `detail` may be empty.
  func line(
    _ word: ResultWord, name: String, output: String, size: String, detail: String, style: TextStyle
  ) -> String {
    let painted =
      style.paint(word.rawValue, word.paint)
      + String(repeating: " ", count: Self.wordWidth - word.rawValue.utf8.count)
    var line = painted + Self.gap + column(name, nameWidth) + Self.gap + column(output, outputWidth)
    if !size.isEmpty || !detail.isEmpty {
      line += Self.gap + TextWidth.pad(size, to: Self.sizeWidth, right: true)
    }
    line += room(for: detail)
    return line.trimmingSpaces + "\n"
  }

  private func column(_ text: String, _ width: Int) -> String {
    TextWidth.pad(lineWidth == nil ? text : TextWidth.cutMiddle(text, to: width), to: width)
  }

  /// `detail` after a gap, as much of it as fits.
  private func room(for detail: String) -> String {
    guard !detail.isEmpty else { return "" }
    guard let lineWidth else { return Self.gap + detail }
    let used = Self.wordWidth + nameWidth + outputWidth + Self.sizeWidth + 4 * Self.gap.utf8.count
    let room = lineWidth - used
    return room < Self.leastDetail ? "" : Self.gap + TextWidth.cutEnd(detail, to: room)
  }
}

extension String {
  /// Without the spaces at its end.
  fileprivate var trimmingSpaces: String {
    var text = self
    while text.utf8.last == UInt8(ascii: " ") { text.removeLast() }
    return text
  }
}
