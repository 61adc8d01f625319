import SyncModel

/// One line of a checksum list: a digest and, unless it stands alone, the name of a file.
struct ChecksumLine: Sendable, Equatable {
  /// Hexadecimal digits of either case, any number of them.
  var hex: String
  /// Without a leading `./`; `nil` for bare digits.
  var name: String?
  /// What stands before the bracket in `MD5 (NAME) = HEX`, lower case; `nil` for the other forms.
  var tag: String?

  enum Reading: Equatable {
    /// Blank, or a comment.
    case nothing
    case entry(ChecksumLine)
    case unreadable
  }

  /// Reads one line without its line feed.
  static func read(_ line: ArraySlice<UInt8>) -> Reading {
    var rest = trimmed(line)
    guard let first = rest.first else { return .nothing }
    if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { return .nothing }
    // The GNU tools put a backslash before a line whose name they had to escape.
    let isEscaped = first == UInt8(ascii: "\\")
    if isEscaped { rest = rest.dropFirst() }
    guard var entry = digestFirst(rest) ?? tagged(rest) else { return .unreadable }
    if isEscaped { entry.name = entry.name.map(unescaped) }
    entry.name = entry.name.map(withoutDotSlash)
    return .entry(entry)
  }

  /// Whether nothing says that this line is of another algorithm than `algorithm`.
  func mayBe(_ algorithm: DigestAlgorithm) -> Bool {
    guard let tag else { return true }
    // OpenSSL writes SHA2-256 where others write SHA256.
    return tag == algorithm.rawValue || tag == algorithm.rawValue.replacingPrefix("sha", by: "sha2-")
      || tag == algorithm.rawValue.replacingPrefix("sha", by: "sha-")
  }

  /// `HEX`, `HEX  NAME` or `HEX *NAME`.
  private static func digestFirst(_ line: ArraySlice<UInt8>) -> ChecksumLine? {
    let hex = line.prefix(while: isHex)
    guard !hex.isEmpty else { return nil }
    let rest = line[hex.endIndex...]
    if rest.isEmpty { return ChecksumLine(hex: text(hex)) }
    guard let gap = rest.first, isBlank(gap) else { return nil }
    var name = trimmed(rest)
    if name.first == UInt8(ascii: "*") { name = name.dropFirst() }
    return name.isEmpty ? nil : ChecksumLine(hex: text(hex), name: text(name))
  }

  /// `MD5 (NAME) = HEX`, with or without its spaces.
  private static func tagged(_ line: ArraySlice<UInt8>) -> ChecksumLine? {
    guard let open = line.firstIndex(of: UInt8(ascii: "(")),
      let close = line.lastIndex(of: UInt8(ascii: ")")),
      open < close
    else { return nil }
    let tag = trimmed(line[..<open])
    let name = line[(open + 1)..<close]
    let value = trimmed(line[(close + 1)...])
    guard !tag.isEmpty, !tag.contains(where: isBlank), !name.isEmpty, value.first == UInt8(ascii: "=") else {
      return nil
    }
    let hex = trimmed(value.dropFirst())
    guard !hex.isEmpty, hex.allSatisfy(isHex) else { return nil }
    return ChecksumLine(hex: text(hex), name: text(name), tag: text(tag).lowercased())
  }

  static func withoutDotSlash(_ name: String) -> String {
    var rest = name.utf8[...]
    while rest.starts(with: "./".utf8) { rest = rest.dropFirst(2) }
    return rest.count == name.utf8.count ? name : String(Substring(rest))
  }

  private static func unescaped(_ name: String) -> String {
    var out: [UInt8] = []
    var bytes = name.utf8.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "\\"), let escaped = bytes.next() else {
        out.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "n"): out.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): out.append(UInt8(ascii: "\r"))
      default: out.append(escaped)
      }
    }
    return text(out[...])
  }

  /// Space, tab, and the ends of lines.
  static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || (0x09...0x0D).contains(c) }

  private static func isHex(_ c: UInt8) -> Bool {
    (0x30...0x39).contains(c) || (0x41...0x46).contains(c) || (0x61...0x66).contains(c)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }

  /// A name that is not UTF-8 is repaired; no name of ours can equal it then.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension String {
  /// `nil` unless the text begins with `prefix`.
  fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String? {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : nil
  }
}
