/// Why a number with a unit cannot be read.
enum UnitFault: Error, Equatable {
  case noUnit
  case unknownUnit(String)
  case tooLarge
  case unreadable
}

/// Durations as manifests write them: `500ms`, `1h30m`; larger units first, each once.
enum DurationText {
  private static let milliseconds: [(unit: String, factor: Int64)] = [
    ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
  ]
  static var unitNames: [String] { milliseconds.map(\.unit).reversed() }
  /// A hundred years, so that no sum of times can overflow.
  private static let longest: Int64 = 36_525 * 86_400_000

  static func parse(_ text: String) throws(UnitFault) -> Duration {
    var rest = text.utf8[...]
    guard !rest.isEmpty else { throw .unreadable }
    var total: Int64 = 0
    var next = 0
    while !rest.isEmpty {
      let number = try Amount.take(from: &rest)
      guard let place = milliseconds.firstIndex(where: { $0.unit == number.unit }) else {
        throw .unknownUnit(number.unit)
      }
      guard place >= next else { throw .unreadable }
      next = place + 1
      let (product, overflow) = number.value.multipliedReportingOverflow(by: milliseconds[place].factor)
      guard !overflow, product <= longest - total else { throw .tooLarge }
      total += product
    }
    return .milliseconds(total)
  }
}

/// Sizes as manifests write them: `500MB`, `2GiB`.
enum SizeText {
  private static let bytes: [(unit: String, factor: Int64)] = [
    ("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
  ]
  static var unitNames: [String] { bytes.map(\.unit) }

  static func parse(_ text: String) throws(UnitFault) -> Int64 {
    var rest = text.utf8[...]
    guard !rest.isEmpty else { throw .unreadable }
    let number = try Amount.take(from: &rest)
    guard rest.isEmpty else { throw .unreadable }
    guard let factor = bytes.first(where: { $0.unit == number.unit })?.factor else {
      throw .unknownUnit(number.unit)
    }
    let (product, overflow) = number.value.multipliedReportingOverflow(by: factor)
    guard !overflow else { throw .tooLarge }
    return product
  }
}

/// Values with units as manifests write them, for command lines.
package enum UnitValue {
  /// In bytes; `nil` if it is no size.
  package static func size(_ text: String) -> Int64? { try? SizeText.parse(text) }

  /// `nil` if it is no duration.
  package static func duration(_ text: String) -> Duration? { try? DurationText.parse(text) }
}

/// File modes as manifests write them: three octal digits, with `0` or `0o` before them or not.
enum ModeText {
  static func parse(_ text: String) -> UInt16? {
    var digits = text.utf8[...]
    if digits.starts(with: "0o".utf8) { digits = digits.dropFirst(2) }
    if digits.count == 4, digits.first == UInt8(ascii: "0") { digits = digits.dropFirst() }
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}

/// A whole number and the letters after it.
private struct Amount {
  var value: Int64
  var unit: String

  static func take(from rest: inout Substring.UTF8View) throws(UnitFault) -> Amount {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { throw .unreadable }
    let letters = rest.dropFirst(digits.count).prefix {
      (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
    }
    rest = rest[letters.endIndex...]
    guard !letters.isEmpty else { throw rest.isEmpty ? .noUnit : .unreadable }
    guard let value = Int64(Substring(digits)) else { throw .tooLarge }
    return Amount(value: value, unit: String(Substring(letters)))
  }
}
