/// A depfile: the files that a run read, as a rule that make's `include` and ninja's `depfile` both understand.
///
/// The form is gcc's (`-MD -MP`): the rule, and an empty rule for each prerequisite, so that make does not fail if
/// a file was removed. Only names that both tools read in the same way are written (docs/decisions/0009).
package struct DepfileText: Equatable {
  /// The text to write.
  package private(set) var text: String
  /// Prerequisites that one of the readers would take for something else; they were left out.
  package private(set) var unwritable: [String] = []

  /// Prerequisites may repeat names; `nil` if the target's own name cannot be written.
  package init?(target: String, prerequisites: [String]) {
    guard let target = Self.escaped(target) else { return nil }
    var seen: Set<[UInt8]> = []
    var written: [String] = []
    for name in prerequisites where seen.insert(Array(name.utf8)).inserted {
      if let escaped = Self.escaped(name) { written.append(escaped) } else { unwritable.append(name) }
    }
    text = (["\(target):"] + written).joined(separator: " \\\n  ") + "\n"
    for name in written { text += "\n\(name):\n" }
  }

  /// `name` as both tools read it; `nil` if that is impossible.
  ///
  /// For make, `%`, `=`, `;`, `|`, wildcards and a leading `~` have another meaning, and parentheses mean an
  /// archive's member. ninja ends a name at quotes, `&`, `<`, `>`, `^`, a backtick and wildcards. The tools differ
  /// about a backslash before an escaped character, and about a space or a colon at the end.
  package static func escaped(_ name: String) -> String? {
    let bytes = Array(name.utf8)
    guard let last = bytes.last, !" :\\".utf8.contains(last), bytes.first != UInt8(ascii: "~") else {
      return nil
    }
    var escaped: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "$"): escaped += [byte, byte]
      case UInt8(ascii: " "), UInt8(ascii: "#"), UInt8(ascii: ":"): escaped += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\\"):
        guard isPlain(bytes[index + 1]) else { return nil }
        escaped.append(byte)
      default:
        guard isPlain(byte) else { return nil }
        escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: "_-./,@+~!{}".utf8.contains(byte)
    }
  }
}
