/// A pattern that captures the version from a name (`match` in `list`; contract, section 11), such as
/// `tool-${v}-*.tar.gz`.
///
/// `*`, `?`, `[…]` and the backslash mean what they mean in a ``PathPattern``, and the whole name must match. The version
/// is not empty. If a name can be read in several ways, the version begins at a digit (or at a `v` before one) if it
/// can, then as early and ends as early as it can.
package struct VersionPattern: Sendable, Hashable {
  /// A fault of a pattern's text.
  package enum Fault: Error, Sendable, Equatable {
    /// It has no `${v}`.
    case noVersion
    /// It has more than one.
    case severalVersions
    /// It has a slash, which no name has.
    case slash
    /// The text around `${v}` is not a pattern.
    case pattern(PathPattern.Fault)
  }

  /// What stands for the version.
  package static let mark = "${v}"

  /// The pattern as written.
  package let text: ByteString
  private let before: NamePattern
  private let after: NamePattern

  /// Reads a pattern.
  package init(_ text: String) throws(Fault) {
    let bytes = Array(text.utf8)
    let mark = Array(Self.mark.utf8)
    let places = bytes.indices.filter { bytes[$0...].starts(with: mark) }
    guard let place = places.first else { throw .noVersion }
    guard places.count == 1 else { throw .severalVersions }
    guard !bytes.contains(UInt8(ascii: "/")) else { throw .slash }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { throw .pattern(.control) }
    do throws(PathPattern.Fault) {
      before = try NamePattern(bytes[..<place])
      after = try NamePattern(bytes[(place + mark.count)...])
    } catch {
      throw .pattern(error)
    }
    self.text = ByteString(text)
  }

  /// The version in a name; `nil` if the name does not match.
  package func version(in name: String) -> String? {
    let name = Array(name.utf8)
    let starts = before.ends(in: name).filter { Self.isBoundary($0, in: name) }
    guard !starts.isEmpty else { return nil }
    let ends = after.starts(in: name).filter { Self.isBoundary($0, in: name) }
    guard let last = ends.last, let start = Self.best(starts, before: last, in: name),
      let end = ends.first(where: { $0 > start })
    else { return nil }
    return String(decoding: name[start..<end], as: UTF8.self)
  }

  private static func best(_ starts: [Int], before end: Int, in name: [UInt8]) -> Int? {
    let possible = starts.prefix { $0 < end }
    return possible.first { beginsVersion(name[$0...]) } ?? possible.first
  }

  private static func beginsVersion(_ rest: ArraySlice<UInt8>) -> Bool {
    let first = rest.first == UInt8(ascii: "v") ? rest.dropFirst().first : rest.first
    return first.map { (0x30...0x39).contains($0) } ?? false
  }

  /// Whether no character of UTF-8 goes on at `place`.
  private static func isBoundary(_ place: Int, in name: [UInt8]) -> Bool {
    place == name.count || name[place] & 0xc0 != 0x80
  }
}
