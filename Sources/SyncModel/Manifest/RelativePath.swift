/// A path below the root: `/` between its parts, none of them empty, `.` or `..`.
package struct RelativePath: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let text: String

  /// What is wrong with a path that a manifest gives.
  package enum Fault: Error, Equatable {
    case empty, absolute, leavesRoot, endsInSlash, hasNUL
  }

  /// Normalises `text`: drops `.` and doubled slashes and resolves `..` inside the root.
  package init(_ text: String) throws(Fault) {
    guard !text.isEmpty else { throw .empty }
    guard !text.utf8.contains(0) else { throw .hasNUL }
    guard text.utf8.first != UInt8(ascii: "/") else { throw .absolute }
    guard text.utf8.last != UInt8(ascii: "/") else { throw .endsInSlash }
    guard !Self.isNormal(text) else {
      self.text = text
      return
    }
    var parts: [Substring] = []
    for part in Self.split(text) {
      switch part {
      case ".": continue
      case "..":
        guard parts.popLast() != nil else { throw .leavesRoot }
      default: parts.append(part)
      }
    }
    guard !parts.isEmpty else { throw .empty }
    self.text = parts.joined(separator: "/")
  }

  /// Whether no part is empty, `.` or `..`, as in nearly every path: spares the work of taking it apart.
  private static func isNormal(_ text: String) -> Bool {
    var length = 0
    var dots = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "/") {
        if length == dots, length <= 2 { return false }
        (length, dots) = (0, 0)
      } else {
        length += 1
        if byte == UInt8(ascii: ".") { dots += 1 }
      }
    }
    return length != dots || length > 2
  }

  package var description: String { text }

  /// The last part.
  package var name: String { String(parts.last!) }

  /// The parts from the root down; never empty.
  package var parts: [Substring] { Self.split(text) }

  /// By bytes, as the system does: a slash before a combining mark is a slash too, though no `Character`
  /// of its own, and `..` must not hide behind it.
  private static func split(_ text: String) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
  }

  /// The parts of the folder that holds it; empty for the root itself.
  package var parentParts: ArraySlice<Substring> { parts.dropLast() }

  /// Whether `other` lies somewhere below this path.
  package func isFolder(of other: RelativePath) -> Bool { other.text.hasPrefix(text + "/") }

  package static func < (a: RelativePath, b: RelativePath) -> Bool { a.text < b.text }
}
