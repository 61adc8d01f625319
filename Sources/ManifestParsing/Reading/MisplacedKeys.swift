import SyncModel

extension ManifestReader {
  /// What to write instead of an unknown key of a target that is a word of another place, such as `verify`; `nil` if it
  /// is none.
  static func placeHint(for word: String) -> String? {
    let forms = places.filter { $0.words.contains(word) }.map { $0.form(word) }
    return forms.isEmpty ? nil : "write \(forms.map { "\"\($0)\"" }.joined(separator: " or "))"
  }

  private static let places: [(words: [String], form: @Sendable (String) -> String)] = [
    (["verify", "unpack"], { "steps: [{\($0): …}]" }),
    (Compression.allCases.map(\.stepName), { "steps: [\($0)]" }),
    (VerifyKey.allCases.map(\.rawValue), { "steps: [{verify: {\($0): …}}]" }),
    (UnpackKey.allCases.map(\.rawValue), { "steps: [{unpack: {\($0): …}}]" }),
    (RuleWord.allCases.map(\.rawValue), { "freshness: \($0)" }),
    (["interval"], { "freshness: {\($0): …}" }),
    (AuthKey.allCases.map(\.rawValue), { "auth: {\($0): …}" }),
    (TimeoutKey.allCases.map(\.rawValue), { "timeout: {\($0): …}" }),
    (["rows"], { "matrix: {\($0): …}" }),
    (ListKey.allCases.map(\.rawValue), { "list: {\($0): …}" }),
  ]
}

extension TargetKey {
  /// The key that other programs call so.
  init?(foreign word: String) {
    switch word {
    case "uri", "urls", "src", "mirror", "mirrors", "link": self = .url
    case "path", "file", "filename", "dest", "destination", "out", "to": self = .output
    case "check", "refresh", "schedule", "when", "every": self = .freshness
    case "depends", "depends_on", "deps", "requires": self = .needs
    case "permissions", "chmod": self = .mode
    case "retry": self = .retries
    default: return nil
    }
  }
}
