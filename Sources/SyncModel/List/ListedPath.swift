/// The check of a text from a list that becomes a part of an output (contract, section 11).
package enum ListedPath {
  /// In bytes. Nearly every file system has this limit for one name in a path.
  private static let longest = 255

  /// Why a text cannot be a part of an output.
  package enum Fault: Error, Sendable, Equatable {
    /// It is empty, or has nothing before, after or between slashes.
    case emptyPart
    /// A part is `..`, which leads out of a folder.
    case parent
    /// A part begins with a dot; `.` itself does too.
    case leadingDot
    /// A part begins with a dash, which programs would read as an option.
    case leadingDash
    /// There is a slash, which only `tree: true` allows.
    case slash
    /// A control character.
    case control(UInt32)
    /// A character that changes the direction of what is shown.
    case bidirectional(UInt32)
    /// A part has so many bytes.
    case tooLong(Int)
  }

  /// Throws unless `text` is one safe part of a path; with `tree` several parts with slashes between them.
  package static func check(_ text: String, tree: Bool) throws(Fault) {
    for scalar in text.unicodeScalars where !(0x20...0x7e).contains(scalar.value) {
      if isControl(scalar) { throw .control(scalar.value) }
      if isBidirectional(scalar) { throw .bidirectional(scalar.value) }
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts { try check(part) }
    guard tree || parts.count == 1 else { throw .slash }
  }

  private static func check(_ part: Substring.UTF8View) throws(Fault) {
    if part.isEmpty { throw .emptyPart }
    if part.elementsEqual("..".utf8) { throw .parent }
    if part.first == UInt8(ascii: ".") { throw .leadingDot }
    if part.first == UInt8(ascii: "-") { throw .leadingDash }
    if part.count > longest { throw .tooLong(part.count) }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  private static func isBidirectional(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
