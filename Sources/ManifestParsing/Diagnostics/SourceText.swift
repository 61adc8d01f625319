import SyncModel

/// The manifest's bytes as lines, to show what a diagnostic points at.
@safe struct SourceText {
  /// Without the byte order mark. Valid while the parse runs.
  let bytes: UnsafeRawBufferPointer
  /// The start of each line; computed for the first diagnostic.
  private var lineStarts: [Int] = []

  /// Longer lines are not shown: a manifest that a program wrote may be one line of megabytes.
  static let longestShownLine = 100_000

  init(_ bytes: UnsafeRawBufferPointer) {
    let hasMark = unsafe bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    unsafe self.bytes = hasMark ? UnsafeRawBufferPointer(rebasing: bytes[3...]) : bytes
  }

  /// Line `number`, from 1, without its end; `nil` if it does not exist or is too long to show.
  mutating func line(_ number: Int) -> String? {
    guard let range = range(ofLine: number), range.count <= Self.longestShownLine else { return nil }
    return unsafe String(decoding: bytes[range], as: UTF8.self)
  }

  /// Where each line of a text is, without its end.
  static func lines(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    var source = unsafe SourceText(bytes)
    let mark = unsafe bytes.count - source.bytes.count
    return (1...source.lineCount).compactMap { number in
      source.range(ofLine: number).map { $0.lowerBound + mark..<$0.upperBound + mark }
    }
  }

  /// The place of the byte at `offset`.
  mutating func span(ofByte offset: Int) -> SourceSpan {
    fillLineStarts()
    let offset = unsafe min(max(offset, 0), bytes.count)
    var low = 0
    var high = lineStarts.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle - 1 }
    }
    let before = unsafe String(decoding: bytes[lineStarts[low]..<offset], as: UTF8.self)
    let column = before.unicodeScalars.count + 1
    return SourceSpan(line: low + 1, column: column, endColumn: column + 1)
  }

  /// How many lines there are, an empty last one included.
  var lineCount: Int {
    mutating get {
      fillLineStarts()
      return lineStarts.count
    }
  }

  /// The start of line `number`, from 1; the end of the text for later lines.
  mutating func start(ofLine number: Int) -> Int {
    fillLineStarts()
    return unsafe number <= lineStarts.count ? lineStarts[max(number, 1) - 1] : bytes.count
  }

  /// The position of a libyaml mark.
  mutating func offset(_ mark: YAMLMark) -> Int {
    guard let line = range(ofLine: mark.line + 1) else { return unsafe bytes.count }
    let scalars = unsafe String(decoding: bytes[line], as: UTF8.self).unicodeScalars.prefix(mark.column)
    return line.lowerBound + String(String.UnicodeScalarView(scalars)).utf8.count
  }

  /// The bytes of line `number`, from 1, without its end; `nil` if it does not exist.
  mutating func range(ofLine number: Int) -> Range<Int>? {
    fillLineStarts()
    guard number >= 1, number <= lineStarts.count else { return nil }
    let start = lineStarts[number - 1]
    var end = unsafe number < lineStarts.count ? lineStarts[number] : bytes.count
    if number < lineStarts.count { unsafe end -= Self.breakLength(before: end, in: bytes) }
    return start..<max(start, end)
  }

  private mutating func fillLineStarts() {
    guard lineStarts.isEmpty else { return }
    lineStarts = [0]
    var i = 0
    while unsafe i < bytes.count {
      // Nearly all bytes are neither a break nor the first of one.
      if unsafe bytes[i] > 0x0D, unsafe bytes[i] < 0xC2 {
        i += 1
        continue
      }
      let length = unsafe Self.breakLength(at: i, in: bytes)
      i += max(length, 1)
      if length > 0 { lineStarts.append(i) }
    }
  }

  /// The line breaks that libyaml counts: LF, CR, CR LF, and Unicode's NEL, LS and PS.
  private static func breakLength(at i: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    switch unsafe bytes[i] {
    case 0x0A: 1
    case 0x0D: unsafe i + 1 < bytes.count && bytes[i + 1] == 0x0A ? 2 : 1
    case 0xC2: unsafe i + 1 < bytes.count && bytes[i + 1] == 0x85 ? 2 : 0
    case 0xE2:
      unsafe i + 2 < bytes.count && bytes[i + 1] == 0x80 && (bytes[i + 2] == 0xA8 || bytes[i + 2] == 0xA9)
        ? 3 : 0
    default: 0
    }
  }

  private static func breakLength(before end: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    for length in [2, 3, 1] where unsafe end >= length && breakLength(at: end - length, in: bytes) == length {
      return length
    }
    return 0
  }
}

extension SourceSpan {
  /// From one libyaml mark to another; a span of several lines is marked at its first character.
  init(_ start: YAMLMark, _ end: YAMLMark, file: Int = 0) {
    let endColumn = end.line == start.line ? end.column + 1 : start.column + 2
    self.init(line: start.line + 1, column: start.column + 1, endColumn: endColumn, file: file)
  }
}
