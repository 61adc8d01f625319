/// How many terminal columns text takes, and how to make it take fewer.
enum TextWidth {
  /// Marks an omission; ASCII, since not every log is UTF-8.
  static let ellipsis = "..."

  /// The columns of `text`, which has been cleaned.
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// 0 for marks that join the character before, 2 for East Asian wide characters and emoji, else 1.
  ///
  /// If terminals differ (joined emoji, U+FE0F), the larger width is used, so that nothing sticks out.
  static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    if scalar.value == 0xFE0F { return 1 }
    if scalar.value == 0x200C || scalar.value == 0x200D { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if wide.contains(where: { $0.contains(scalar.value) }) { return 2 }
    let isRegionalIndicator = (0x1F1E6...0x1F1FF).contains(scalar.value)
    return scalar.properties.isEmojiPresentation && !isRegionalIndicator ? 2 : 1
  }

  /// `text` in at most `width` columns, with its end cut off if it is longer.
  static func cutEnd(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    return prefix(text, width - ellipsis.utf8.count) + ellipsis.prefix(max(0, width))
  }

  /// `text` in at most `width` columns, with its middle cut out if it is longer: names differ at their ends.
  static func cutMiddle(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    let room = width - ellipsis.utf8.count
    guard room >= 2 else { return cutEnd(text, to: width) }
    let tail = String(prefix(String(text.reversed()), room / 2).reversed())
    return prefix(text, room - of(tail)) + ellipsis + tail
  }

  /// `text` filled with spaces to `width` columns.
  static func pad(_ text: String, to width: Int, right: Bool = false) -> String {
    let fill = String(repeating: " ", count: max(0, width - of(text)))
    return right ? fill + text : text + fill
  }

  /// The longest beginning of whole characters that fits into `width` columns.
  private static func prefix(_ text: String, _ width: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += character.unicodeScalars.reduce(0) { $0 + of($1) }
        return used <= width
      })
  }

  /// East Asian Width W and F (UAX #11), rounded to whole blocks; emoji come from their own property.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
    0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
    0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]
}
