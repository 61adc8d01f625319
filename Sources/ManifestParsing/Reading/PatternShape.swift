/// What a POSIX extended expression consists of, as far as it decides what it costs to compile and to match.
///
/// The C library takes an expression of a few bytes for gigabytes of memory if numbers of repetitions multiply, and years
/// of time if it has back references, which are not in the standard. Nor is a backslash before a letter: each library gives
/// it a meaning of its own, or none, and then `\d` matches a "d".
struct PatternShape {
  /// The highest ``cost`` that a manifest may have.
  static let highestCost = 100_000

  /// A backslash, and the ASCII character behind it, to which the standard gives no meaning together.
  struct Escape: Equatable {
    /// Of both, in bytes.
    var range: Range<Int>
    var character: Character
    /// In brackets it has a meaning, if hardly the one that is meant: a backslash or the character.
    var isInBrackets: Bool
    /// What to write.
    var hint: String
  }

  /// The number of groups.
  private(set) var groups = 0
  /// The first one; `nil` if there is none.
  private(set) var escape: Escape?
  /// The bytes of the expression with its repetitions written out, or more.
  private(set) var cost: Int

  /// Whether `text` is an expression is not looked at.
  init(_ text: String) {
    let bytes = Array(text.utf8)
    cost = max(1, bytes.count)
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\\"):
        look(atEscape: place, bytes[...], isInBrackets: false)
        place += 1
      case UInt8(ascii: "["):
        let start = place
        place = Self.endOfBrackets(bytes, place)
        lookForEscapes(inBrackets: bytes[start..<min(place, bytes.count)])
      case UInt8(ascii: "("): groups += 1
      case UInt8(ascii: "{"): multiply(by: Self.bound(bytes[(place + 1)...]))
      default: break
      }
      place += 1
    }
  }

  /// In brackets a backslash stands for itself; one before these letters is surely not meant so, unless it ends a range.
  private mutating func lookForEscapes(inBrackets bytes: ArraySlice<UInt8>) {
    var place = bytes.startIndex
    while place < bytes.endIndex {
      if bytes[place] == UInt8(ascii: "\\") {
        if !Self.endsRange(bytes[..<place]) { look(atEscape: place, bytes, isInBrackets: true) }
        place += 1
      }
      place += 1
    }
  }

  /// Whether the bytes from a bracket on end in the beginning of a range, such as `$-`; a hyphen in the first place, or with
  /// a backslash before it, is not meant so.
  private static func endsRange(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.last == UInt8(ascii: "-"), let first = bytes.dropFirst().dropLast().last else { return false }
    let isNegated = first == UInt8(ascii: "^") && bytes.count == 3
    return !isNegated && first != UInt8(ascii: "\\")
  }

  private mutating func look(atEscape place: Int, _ bytes: ArraySlice<UInt8>, isInBrackets: Bool) {
    guard escape == nil, place + 1 < bytes.endIndex else { return }
    let byte = bytes[place + 1]
    let isUpperCase = byte & 0x20 == 0
    let members: String? =
      switch byte | 0x20 {
      case UInt8(ascii: "d"): "0-9"
      case UInt8(ascii: "s"): "[:space:]"
      case UInt8(ascii: "w"): "[:alnum:]_"
      default: nil
      }
    var hint = "only a character with a meaning of its own has a backslash before it; \\\\ is a backslash"
    if let members {
      hint = isInBrackets && !isUpperCase ? members : "[\(isUpperCase ? "^" : "")\(members)]"
      hint = "write \(hint)\(isInBrackets ? ", or put the backslash last" : "")"
      if isInBrackets, isUpperCase { hint = "brackets have no negated class: write the characters" }
    } else if isInBrackets || !Self.isOrdinary(byte) {
      return
    }
    escape = Escape(
      range: place..<place + 2, character: Character(Unicode.Scalar(byte)), isInBrackets: isInBrackets,
      hint: hint)
  }

  /// Whether a backslash before it is an extension of a C library: letters, digits, and the marks of GNU.
  private static func isOrdinary(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "<>`'".utf8.contains(byte)
    }
  }

  private mutating func multiply(by count: Int) {
    let (product, overflow) = cost.multipliedReportingOverflow(by: max(1, count))
    cost = overflow ? .max : product
  }

  /// The larger of the numbers before the next `}`.
  private static func bound(_ bytes: ArraySlice<UInt8>) -> Int {
    let numbers = bytes.prefix { $0 != UInt8(ascii: "}") }.split(separator: UInt8(ascii: ","))
    return numbers.map { Int(String(decoding: $0, as: UTF8.self)) ?? 1 }.max() ?? 1
  }

  /// The place of the bracket that ends the one at `start`; in the first place it stands for itself.
  private static func endOfBrackets(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start + 1
    if place < bytes.count, bytes[place] == UInt8(ascii: "^") { place += 1 }
    if place < bytes.count, bytes[place] == UInt8(ascii: "]") { place += 1 }
    while place < bytes.count, bytes[place] != UInt8(ascii: "]") {
      // [:alpha:], [.x.] and [=x=]
      if bytes[place] == UInt8(ascii: "["), place + 1 < bytes.count, ":.=".utf8.contains(bytes[place + 1]) {
        let kind = bytes[place + 1]
        place += 2
        while place + 1 < bytes.count, bytes[place] != kind || bytes[place + 1] != UInt8(ascii: "]") {
          place += 1
        }
        place += 1
      }
      place += 1
    }
    return place
  }
}
