/// A path below the root: `/` between its parts, none of which is empty, `.` or `..`.
///
/// Everything here works on bytes, as file systems do: for Swift, a `/` before a combining accent is not `/`.
package struct RelativePath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The path as it is written to JSON, the state and the lock; never empty.
  package let text: String

  /// The fault of a path in a manifest.
  package enum Fault: Error, Equatable {
    /// The text names nothing, begins or ends with `/`, leaves the root by `..`, or has a NUL byte.
    case empty, absolute, leavesRoot, endsInSlash, hasNUL
  }

  /// Normalises `text`: drops `.` and doubled slashes and resolves `..` inside the root.
  package init(_ text: String) throws(Fault) {
    guard !Self.isNormal(text) else {
      self.text = text
      return
    }
    guard !text.isEmpty else { throw .empty }
    guard !text.utf8.contains(0) else { throw .hasNUL }
    guard text.utf8.first != UInt8(ascii: "/") else { throw .absolute }
    guard text.utf8.last != UInt8(ascii: "/") else { throw .endsInSlash }
    var parts: [Substring.UTF8View] = []
    for part in text.utf8.split(separator: UInt8(ascii: "/")) {
      if part.elementsEqual(".".utf8) { continue }
      guard part.elementsEqual("..".utf8) else {
        parts.append(part)
        continue
      }
      guard parts.popLast() != nil else { throw .leavesRoot }
    }
    guard !parts.isEmpty else { throw .empty }
    self.text = parts.map { String(Substring($0)) }.joined(separator: "/")
  }

  /// The lock file, in the root.
  package static let lockFile = RelativePath(normal: LockFile.fileName)

  private init(normal text: String) { self.text = text }

  /// Whether there is nothing to drop or resolve, as in nearly every manifest's nearly every path.
  private static func isNormal(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      // One walk, without a copy of any part: `dots` counts those that the part has been made of so far.
      var length = 0
      var dots = 0
      var place = 0
      while place < bytes.count {
        let byte = unsafe bytes[place]
        place += 1
        if byte == UInt8(ascii: "/") {
          guard length > 0, !(length <= 2 && dots == length) else { return false }
          (length, dots) = (0, 0)
        } else {
          guard byte != 0 else { return false }
          length += 1
          if byte == UInt8(ascii: ".") { dots += 1 }
        }
      }
      return length > 0 && !(length <= 2 && dots == length)
    }
  }

  /// The text of the path, which may contain control characters.
  package var description: String { text }

  /// The last part.
  package var name: String { parts.last.map(String.init) ?? text }

  /// The parts from the root down; never empty.
  package var parts: [Substring] { Self.split(text) }

  /// By bytes, as the system does it: a slash before a combining mark is a slash, although it is not a `Character`
  /// of its own, and must not hide a `..`.
  private static func split(_ text: String) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
  }

  /// The parts of its folder; empty for the root itself.
  package var parentParts: ArraySlice<Substring> { parts.dropLast() }

  /// The folders that it is in, from the root down, without the root itself.
  package var folders: [RelativePath] {
    let parts = parts
    return (1..<max(parts.count, 1)).compactMap {
      try? RelativePath(parts.prefix($0).joined(separator: "/"))
    }
  }

  /// Whether `other` is below this path.
  package func isFolder(of other: RelativePath) -> Bool {
    let (mine, its) = (text.utf8, other.text.utf8)
    return its.count > mine.count && its.starts(with: mine)
      && its[its.index(its.startIndex, offsetBy: mine.count)] == UInt8(ascii: "/")
  }

  /// By bytes, so that the order does not depend on Unicode.
  package static func < (a: RelativePath, b: RelativePath) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  /// Swift calls an accented letter and its parts equal; Linux makes two files of them.
  package static func == (a: RelativePath, b: RelativePath) -> Bool { a.text.hasSameBytes(as: b.text) }

  /// Agrees with `==`: equal are the same bytes only.
  package func hash(into hasher: inout Hasher) { hasher.combine(ByteString(text)) }
}
