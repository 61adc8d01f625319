import ManifestParsing
import SyncModel

/// Patterns of other programs, which match an archive's whole paths, as those of `unpack`.
enum ArchivePattern {
  /// `key: [PATTERN, …]` for the patterns of the list at a node's key `name`, without those that cannot be converted; `nil`
  /// if none is left.
  static func option(
    _ key: String, _ node: DataNode, _ name: String, strippedBy count: Int = 0, _ target: inout ForeignTarget
  ) -> String? {
    let patterns = node.list(name).compactMap(\.text)
    let converted = patterns.compactMap { stripped($0, by: count) }
    if converted.count < patterns.count {
      let why = "\(key): patterns with braces, or of folders that are stripped"
      // Without one of its patterns the target would unpack other files.
      target.refusal = (node.line(of: name), why)
    }
    return converted.isEmpty ? nil : "\(key): \(Literal.list(converted))"
  }

  /// In a manifest a pattern without a slash matches in every folder; with one at its start only at the top.
  static func anchored(_ pattern: String) -> String {
    pattern.utf8.contains(UInt8(ascii: "/")) ? pattern : "/" + pattern
  }

  /// `pattern` as it matches after `count` leading folders are gone; `nil` if it is about these folders themselves, or
  /// has alternatives in braces. The first of them is taken for the only one of its level, as it mostly is.
  static func stripped(_ pattern: String, by count: Int) -> String? {
    guard !pattern.utf8.contains(UInt8(ascii: "{")) else { return nil }
    guard count > 0 else { return anchored(pattern) }
    let parts = pattern.parts(between: UInt8(ascii: "/"))
    if parts.first == "**" { return pattern }
    guard parts.count > count, parts[1..<count].allSatisfy({ $0 == "*" }) else { return nil }
    return anchored(parts[count...].joined(separator: "/"))
  }

  /// A path that stands for itself only.
  static func escaped(_ path: String) -> String {
    let bytes = path.utf8.flatMap { "*?[\\!".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
