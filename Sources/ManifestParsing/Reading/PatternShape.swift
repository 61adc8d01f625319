/// What a POSIX extended expression consists of, as far as it decides what it costs to compile and to match.
///
/// The C library takes an expression of a few bytes for gigabytes of memory if numbers of repetitions multiply, and years
/// of time if it has back references, which are not in the standard.
struct PatternShape {
  /// The highest ``cost`` that a manifest may have.
  static let highestCost = 100_000

  /// The number of groups.
  private(set) var groups = 0
  /// Whether there is a backslash before a digit.
  private(set) var hasBackReference = false
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
        place += 1
        if place < bytes.count, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[place]) {
          hasBackReference = true
        }
      case UInt8(ascii: "["): place = Self.endOfBrackets(bytes, place)
      case UInt8(ascii: "("): groups += 1
      case UInt8(ascii: "{"): multiply(by: Self.bound(bytes[(place + 1)...]))
      default: break
      }
      place += 1
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
