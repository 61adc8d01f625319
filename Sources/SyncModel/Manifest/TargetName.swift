/// The name of a target or a group, as the manifest spells it.
///
/// Matches `[A-Za-z0-9_][A-Za-z0-9_.+/-]*` (contract, section 2); only the parser makes one from foreign text.
package struct TargetName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name in ASCII, as it is written to JSON, the state and the lock.
  package let text: String

  /// Takes `text` as it is; the caller has checked it with ``isValid(_:)``.
  package init(_ text: String) { self.text = text }

  /// The name.
  package var description: String { text }

  /// In alphabetical order, by ASCII codes.
  package static func < (a: TargetName, b: TargetName) -> Bool { a.text < b.text }

  /// Whether `text` may name a target.
  package static func isValid(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard let first = unsafe bytes.first, isFirst(first) else { return false }
      return unsafe bytes.allSatisfy(isPart)
    }
  }

  /// Whether a name may begin with that character.
  package static func isFirst(_ c: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(c)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(c)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(c) || c == UInt8(ascii: "_")
  }

  /// Whether a name may contain that character.
  package static func isPart(_ c: UInt8) -> Bool {
    isFirst(c) || c == UInt8(ascii: ".") || c == UInt8(ascii: "+") || c == UInt8(ascii: "/")
      || c == UInt8(ascii: "-")
  }
}
