import SyncModel

extension ManifestReader {
  /// What to write instead of an unknown key of a target that is a word of another place, such as `verify`; `nil` if it
  /// is none. `isOfDefaults`: the key is one of `defaults`, which do not make several targets.
  static func placeHint(for word: String, isOfDefaults: Bool = false) -> String? {
    // One letter too many makes `modes` of `mode` more often than of `unpack`.
    let isNear = TargetKey.allCases.contains { NearestName.distance(word, $0.rawValue) == 1 }
    let known = places.filter { !(isOfDefaults && $0.makesMany) && !isNear }
    let forms = known.filter { $0.words.contains(word) }.map { $0.form(word) }
    return forms.isEmpty ? nil : "write \(forms.map { "\"\($0)\"" }.joined(separator: " or "))"
  }

  private struct Place {
    var words: [String]
    var makesMany = false
    var form: @Sendable (String) -> String

    init(_ words: [String], makesMany: Bool = false, _ form: @escaping @Sendable (String) -> String) {
      (self.words, self.makesMany, self.form) = (words, makesMany, form)
    }
  }

  private static let places: [Place] = [
    Place(["verify", "unpack"]) { "steps: [{\($0): …}]" },
    Place(Compression.allCases.map(\.stepName)) { "steps: [\($0)]" },
    Place(["checksum", "digest", "hash"], makesMany: true) { _ in "steps: [{verify: {sha256: …}}]" },
    Place(VerifyKey.allCases.map(\.rawValue)) { "steps: [{verify: {\($0): …}}]" },
    Place(UnpackKey.allCases.map(\.rawValue)) { "steps: [{unpack: {\($0): …}}]" },
    Place(RuleWord.allCases.map(\.rawValue)) { "freshness: \($0)" },
    Place(["interval"]) { "freshness: {\($0): …}" },
    Place(AuthKey.allCases.map(\.rawValue)) { "auth: {\($0): …}" },
    Place(TimeoutKey.allCases.map(\.rawValue)) { "timeout: {\($0): …}" },
    Place(["rows"], makesMany: true) { "matrix: {\($0): …}" },
    Place(ListKey.allCases.map(\.rawValue), makesMany: true) { "list: {\($0): …}" },
  ]
}

extension TargetKey {
  /// The key that other programs call so.
  init?(foreign word: String) {
    switch word {
    case "uri", "urls", "src", "mirror", "mirrors", "link": self = .url
    case "path", "file", "filename", "dest", "destination", "out", "to": self = .output
    case "check", "refresh", "schedule", "every": self = .freshness
    case "depends", "depends_on", "deps", "requires": self = .needs
    case "permissions", "chmod": self = .mode
    case "retry": self = .retries
    default: return nil
    }
  }
}
